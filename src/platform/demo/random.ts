/** A seeded source of randomness for demo data: the same seed gives the same data. Secrets must not use this source. */
import { base62 } from "restbound/role";

export type Random = {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** An integer from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  /** Returns one item; throws `RangeError` for an empty list. */
  pick<T>(items: readonly T[]): T;
  /** Returns `true` with this probability. */
  chance(probability: number): boolean;
  id(prefix: string): string;
};

/** Creates a source that uses the algorithm Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    pick(items) {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError("the list to pick from is empty");
      return item;
    },
    chance: (probability) => next() < probability,
    id: (prefix) => `${prefix}_${Array.from({ length: 12 }, () => base62.charAt(integer(0, 61))).join("")}`,
  };
}
