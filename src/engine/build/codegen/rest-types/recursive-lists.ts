/**
 * Lists that hold themselves with no object between: a list of a union that has the same list among its members.
 * TypeScript refuses such a type of a property, so that the entries of the list are left unknown.
 */
import type { Shape } from "../../openapi/shapes/shape.ts";

/** Whether entries of this shape may be lists of the same shape. */
export function isRecursiveList(entries: Shape): boolean {
  const met = new Set<string>();
  const waiting = nextOf(entries);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { text } = next.identity;
    if (text === entries.identity.text) return true;
    if (!met.has(text)) waiting.push(...nextOf(next));
    met.add(text);
  }
  return false;
}

/** The members of a union, or the entries of a list. */
function nextOf({ variants, members = [], items }: Shape): Shape[] {
  if (variants) return variants.members.map(({ shape }) => shape);
  if (members.length > 0) return [...members];
  return items ? [items] : [];
}
