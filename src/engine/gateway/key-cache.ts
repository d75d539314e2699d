/**
 * A cache of active keys that keeps most of its entries when more keys are in use than fit. LRU alone loses all of them when
 * keys come in turns. Bimodal insertion (Qureshi et al., "Adaptive Insertion Policies", ISCA 2007): while the least recently
 * used entry is still valid, one new key in `admission` replaces it. The others go to a small LRU of recent keys, so that
 * several requests in a row need one lookup.
 */
import { LRUCache } from "lru-cache";

const admission = 8;
/** The part of the entries that is for recent keys. */
const recentPart = 1 / 16;

/** `until`: an entry that is no longer valid makes room for any new key. */
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

  /** As `get`, but does not count as a use. */
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
