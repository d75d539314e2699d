/**
 * Keeps the values that REST allows to keep, for each caller alone (`CallerKey`). A write of a caller drops all values of
 * the caller, of all products, so that the caller reads its own writes (RFC 9111 §4.4 asks for the written URL only). The
 * total size is bounded, and the size for each caller: the least recently used values go first.
 */
import { LRUCache } from "lru-cache";
import { cachedResponses } from "../../settings/capacity.ts";
import type { CallerKey } from "./caller-key.ts";

/** `size` is in bytes of memory, about, without the key. */
type Kept = { readonly size: number };

/** The keys of one caller's values, and their size. */
type Own = { readonly keys: Set<string>; size: number };
type Entry = { readonly value: Kept; readonly identity: string; readonly size: number };

const bytesPerUnit = 2;

export class CallerCache {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: cachedResponses.bytes,
    sizeCalculation: ({ size }) => size,
    dispose: (entry, key) => this.#disposed(entry, key),
  });
  readonly #callers = new Map<string, Own>();
  /** When a caller's values were last dropped. */
  readonly #droppedAt = new LRUCache<string, number>({
    max: cachedResponses.writers,
    dispose: (at, _identity, reason) => {
      if (reason === "evict") this.#forgottenAt = Math.max(this.#forgottenAt, at);
    },
  });
  /** The time of the latest drop that `#droppedAt` has forgotten. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  /** The value of a key. The reader checks its class: the cache holds REST responses and whole answers. */
  get({ identity, whole }: CallerKey): Kept | undefined {
    if (!this.#callers.has(identity)) return undefined; // a long key is not hashed in vain
    const entry = this.#entries.get(whole);
    return entry?.identity === identity ? entry.value : undefined;
  }

  /** Keeps the value of work that began at `beganAt`, unless the caller's values were dropped since. */
  set({ identity, whole }: CallerKey, value: Kept, beganAt: number): void {
    if (beganAt <= Math.max(this.#droppedAt.get(identity) ?? 0, this.#forgottenAt)) return;
    const size = value.size + bytesPerUnit * whole.length;
    if (size > cachedResponses.bytesOfCaller) return;
    this.#entries.set(whole, { value, identity, size });
    const own = this.#callers.get(identity) ?? { keys: new Set(), size: 0 };
    this.#callers.set(identity, own);
    own.keys.add(whole);
    own.size += size;
    for (const oldest of own.keys) {
      if (own.size <= cachedResponses.bytesOfCaller) break;
      this.#entries.delete(oldest);
    }
  }

  delete({ whole }: CallerKey): void {
    this.#entries.delete(whole);
  }

  /** Drops all values of the caller: it writes, it has written, or REST refuses its credential. */
  drop(identity: string): void {
    this.#droppedAt.set(identity, performance.now());
    for (const key of this.#callers.get(identity)?.keys ?? []) this.#entries.delete(key);
  }

  #disposed({ identity, size }: Entry, key: string): void {
    const own = this.#callers.get(identity);
    if (!own) return;
    own.keys.delete(key);
    own.size -= size;
    if (own.keys.size === 0) this.#callers.delete(identity);
  }
}
