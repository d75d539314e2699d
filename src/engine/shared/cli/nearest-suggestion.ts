/** The name that a misspelt one most likely stands for. */
import { suggestionList } from "graphql/jsutils/suggestionList.js";

/** The name most similar to `wrong`, if there is a similar one. */
export const nearestName = (wrong: string, names: Iterable<string>): string | undefined =>
  wrong.length > 1 ? suggestionList(wrong, [...names])[0] : undefined;

/** `; did you mean "…"?` with that name; empty if no name is near. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const near = nearestName(wrong, names);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
