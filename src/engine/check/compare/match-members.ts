/**
 * Pairs the members of an old and a new `oneOf`: by the values of the discriminator, else by the schema's name, else by
 * their content. The position in the list tells nothing, because members may be added and moved.
 */
import { isDeepStrictEqual } from "node:util";
import type { Variant } from "../../openapi/shapes/shape.ts";

type Matches = Map<Variant, Variant>;

/** Old member → new member. Several old members may become one new member with a value of each. */
export function matchMembers(before: readonly Variant[], after: readonly Variant[]): Matches {
  const matches: Matches = new Map();
  for (const old of before) {
    const now = after.find((each) => sharesValue(old, each) || hasSameName(old, each));
    if (now) matches.set(old, now);
  }
  matchUnnamed(matches, before, after, isEqual);
  matchUnnamed(matches, before, after, isSimilar);
  return matches;
}

export const sharesValue = (one: Variant, other: Variant): boolean =>
  one.values.some((value) => other.values.includes(value));

const hasSameName = (old: Variant, now: Variant): boolean =>
  old.values.length === 0 && old.name !== undefined && old.name === now.name;

/** Each new member is the match of one old member at most. */
function matchUnnamed(
  matches: Matches,
  before: readonly Variant[],
  after: readonly Variant[],
  fits: (old: Variant, now: Variant) => boolean,
): void {
  const isUnnamed = ({ values, name }: Variant): boolean => values.length === 0 && name === undefined;
  const free = new Set(after.filter(isUnnamed));
  for (const now of matches.values()) free.delete(now);
  for (const old of before) {
    if (!isUnnamed(old) || matches.has(old)) continue;
    const now = [...free].find((each) => fits(old, each));
    if (!now) continue;
    matches.set(old, now);
    free.delete(now);
  }
}

const isEqual = (old: Variant, now: Variant): boolean => isDeepStrictEqual(old.node.value, now.node.value);

/** Whether two members have one type and, for objects, at least half of their properties in common. */
function isSimilar({ shape: old }: Variant, { shape: now }: Variant): boolean {
  const [before, after] = [new Set(old.properties.keys()), new Set(now.properties.keys())];
  return (
    isDeepStrictEqual(old.types, now.types) &&
    2 * [...before].filter((name) => after.has(name)).length >= Math.max(before.size, after.size)
  );
}
