/**
 * A cache of active keys that remains useful when more keys are in use than it can store. If keys are used in rotation, an LRU
 * cache evicts every entry before its next use. This cache uses bimodal insertion (Qureshi et al., "Adaptive Insertion Policies",
 * ISCA 2007): a new key replaces the least recently used entry if that entry has expired, and otherwise with a probability of
 * 1/`admission`. Other new keys go to a small LRU cache, so that consecutive requests with one key need one lookup.
 */
import { LRUCache } from "lru-cache";

const admission = 8;
/** Fraction of all entries that the small LRU cache stores. */
const recentPart = 1 / 16;

/** An entry expires at `until`, which the key verifier determines. Any new key may replace an expired entry. */
export class KeyCache<Entry extends { readonly until: number }> {
  readonly #main: LRUCache<string, Entry>;
  readonly #recent: LRUCache<string, Entry>;

  constructor(size: number) {
    const recent = Math.max(1, Math.floor(size * recentPart));
    this.#recent = new LRUCache({ max: recent });
    this.#main = new LRUCache({ max: Math.max(1, size - recent) });
  }

  get(digest: string): Entry | undefined {
    return this.#main.get(digest) ?? this.#recent.get(digest);
  }

  /** Like `get`, but does not mark the entry as recently used. */
  peek(digest: string): Entry | undefined {
    return this.#main.peek(digest) ?? this.#recent.peek(digest);
  }

  set(digest: string, entry: Entry): void {
    const isMain = this.#main.has(digest) || this.#admits();
    if (isMain) this.#recent.delete(digest);
    (isMain ? this.#main : this.#recent).set(digest, entry);
  }

  delete(digest: string): void {
    this.#main.delete(digest);
    this.#recent.delete(digest);
  }

  *[Symbol.iterator](): Iterator<[digest: string, Entry]> {
    yield* this.#main;
    yield* this.#recent;
  }

  #admits(): boolean {
    if (this.#main.size < this.#main.max) return true;
    const [oldest = ""] = this.#main.rkeys();
    const { until = 0 } = this.#main.peek(oldest) ?? {};
    return until <= performance.now() || Math.random() * admission < 1;
  }
}
