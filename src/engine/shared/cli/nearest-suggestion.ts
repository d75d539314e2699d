/** Suggests the valid name that a user most likely meant by a misspelt name. */
import { suggestionList } from "graphql/jsutils/suggestionList.js";

/** Returns the name most similar to `wrong`; `undefined` if no name is similar. */
export const nearestName = (wrong: string, names: Iterable<string>): string | undefined =>
  wrong.length > 1 ? suggestionList(wrong, [...names])[0] : undefined;

/** Returns `; did you mean "…"?` with the most similar name; an empty text if no name is similar. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const near = nearestName(wrong, names);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
