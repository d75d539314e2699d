/** Pseudo-random choices that depend only on a seed. */

/** A replacement for `Math.random`. */
export function randomOf(...seed: readonly unknown[]): () => number {
  const random = new Random(...seed);
  return () => random.next();
}

/** The FNV-1a hash of the joined `parts`. */
export function hash(...parts: readonly unknown[]): number {
  let value = 0x811c9dc5;
  for (const character of parts.join("\u0000"))
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

export class Random {
  #state: number;

  constructor(...seed: readonly unknown[]) {
    this.#state = hash(...seed);
  }

  /** A number from 0 (included) to 1 (excluded), by the algorithm mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 (included) to `end` (excluded). */
  int(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("nothing to pick from");
    return items[this.int(items.length)] as T;
  }

  /** Picks each item with probability `share`, or the first `least` items if these would be fewer. */
  some<T>(items: readonly T[], share: number, least = 0): T[] {
    const chosen = items.filter(() => this.chance(share));
    return chosen.length >= least ? chosen : items.slice(0, least);
  }

  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
