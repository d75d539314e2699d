/** The name that a misspelt one most likely stands for. */
import { closestMatch } from "leven";

/** `; did you mean "…"?` with the nearest of `names`; empty if none is near. */
export function nearestSuggestion(wrong: string, names: readonly string[]): string {
  const near = closestMatch(wrong, names, { maxDistance: 2 });
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
