/**
 * The responses that REST allows to keep, for each caller alone: a key begins with the caller's identity. A caller's write
 * drops all that the caller has stored, of all products, so that it reads its own writes (RFC 9111 §4.4 asks for the
 * written URL only). The total size is bounded, and the size for each caller: the least recently used responses go first.
 */
import { LRUCache } from "lru-cache";
import { cachedResponses } from "../../capacity.ts";
import type { StoredResponse } from "./stored-response.ts";

/** The stored responses of one caller. */
type Own = { readonly keys: Set<string>; size: number };
type Entry = { readonly stored: StoredResponse; readonly identity: string; readonly size: number };

export class ResponseCache {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: cachedResponses.bytes,
    sizeCalculation: ({ size }) => size,
    dispose: (entry, key) => this.#disposed(entry, key),
  });
  readonly #callers = new Map<string, Own>();
  /** When a caller's responses were last dropped. */
  readonly #droppedAt = new LRUCache<string, number>({
    max: cachedResponses.writers,
    dispose: (at, _identity, reason) => {
      if (reason === "evict") this.#forgottenAt = Math.max(this.#forgottenAt, at);
    },
  });
  /** The last time of a drop that nobody remembers. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  get(identity: string, key: string): StoredResponse | undefined {
    return this.#entries.get(identity + key)?.stored;
  }

  /** Keeps a response to a call that began at `beganAt`, unless the caller's responses were dropped since. */
  set(identity: string, key: string, stored: StoredResponse, beganAt: number): void {
    if (beganAt <= Math.max(this.#droppedAt.get(identity) ?? 0, this.#forgottenAt)) return;
    const { size } = stored;
    if (size > cachedResponses.bytesOfCaller) return;
    this.#entries.set(identity + key, { stored, identity, size });
    const own = this.#callers.get(identity) ?? { keys: new Set(), size: 0 };
    this.#callers.set(identity, own);
    own.keys.add(identity + key);
    own.size += size;
    for (const oldest of own.keys) {
      if (own.size <= cachedResponses.bytesOfCaller) break;
      this.#entries.delete(oldest);
    }
  }

  delete(identity: string, key: string): void {
    this.#entries.delete(identity + key);
  }

  /** Drops all that the caller has stored: it writes, has written, or REST refuses its credential. */
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
