/**
 * Caches the values that REST permits caching: public values for all callers, any other value for a single caller (`CallerKey`).
 * A write invalidates all values of its caller, for all products, so that the caller reads its own writes (RFC 9111 §4.4 requires
 * this only for the written URL). The total size and the size per caller are limited; the least recently used values are evicted
 * first. While the cache holds more than `openBytes`, a value is cached only if its key was requested recently: otherwise, with
 * more callers than the cache has room for, values would be evicted before their callers come back.
 *
 * A public value counts toward the size of the caller whose request fetched it. A caller that has written since then does not get
 * the cached value, but fetches a new one.
 */
import { LRUCache } from "lru-cache";
import { cachedResponses } from "../../settings/capacity.ts";
import type { CallerHeaders } from "../caller-headers.ts";

/** `size`: approximate bytes of memory, without the key. */
type CachedValue = { readonly size: number };

/** The keys of one caller's values, the oldest first, and the total size of the values. */
type CallerValues = { readonly keys: Set<string>; size: number };
type Entry = Pick<CallerKey, "identity" | "caller"> & {
  readonly value: CachedValue;
  readonly size: number;
  readonly beganAt: number;
};

const bytesPerUnit = 2;

/**
 * Prefix of the keys of `#droppedAt` that refer to all identities of a caller. No identity begins with a line break, so they
 * cannot collide.
 */
const allOf = "\n";

/** The identity of public values. It cannot be the identity of a caller, because none of these begins with a line break. */
const everyone = "\nall\n";

export class CallerCache {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: cachedResponses.bytes,
    sizeCalculation: ({ size }) => size,
    dispose: (entry, key) => this.#disposed(entry, key),
  });
  readonly #doorkeeper = new Doorkeeper();
  readonly #publicDoorkeeper = new Doorkeeper();
  /** The keys of each identity's values. */
  readonly #byIdentity = new Map<string, Set<string>>();
  readonly #byCaller = new Map<string, CallerValues>();
  /** When the values of an identity, or of all identities of a caller, were last dropped. */
  readonly #droppedAt = new LRUCache<string, number>({
    max: cachedResponses.writers,
    dispose: (at, _identity, reason) => {
      if (reason === "evict") this.#forgottenAt = Math.max(this.#forgottenAt, at);
    },
  });
  /** The latest of the times that were evicted from `#droppedAt`. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  /** Approximate bytes of all values. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /**
   * Returns the value of a key. Code that uses it must check its class: the cache contains REST responses and GraphQL responses.
   */
  get(key: CallerKey): CachedValue | undefined {
    const { identity, whole } = key;
    if (!this.#byIdentity.has(identity)) return undefined; // saves hashing a long key
    const entry = this.#entries.get(whole);
    if (entry?.identity !== identity) return undefined;
    return key.isPublic && entry.beganAt <= this.#dropTimeOf(key) ? undefined : entry.value;
  }

  /** Whether a new value would be cached. Remembers the key as requested. */
  admits({ caller, whole, isPublic }: CallerKey): boolean {
    if (this.#entries.calculatedSize < cachedResponses.openBytes) return true;
    return isPublic
      ? this.#publicDoorkeeper.checkAndRemember(whole, whole)
      : this.#doorkeeper.checkAndRemember(caller, whole);
  }

  /** Caches the result of work that began at `beganAt`, unless the caller's values have been dropped since then. */
  set(key: CallerKey, value: CachedValue, beganAt: number): void {
    const { identity, caller, whole } = key;
    if (beganAt <= this.#dropTimeOf(key)) return;
    const size = value.size + bytesPerUnit * whole.length;
    if (size > cachedResponses.bytesOfCaller) return;
    this.#entries.set(whole, { value, identity, caller, size, beganAt });
    const keys = this.#byIdentity.get(identity) ?? new Set();
    const part = this.#byCaller.get(caller) ?? { keys: new Set(), size: 0 };
    this.#byIdentity.set(identity, keys.add(whole));
    this.#byCaller.set(caller, part);
    part.keys.add(whole);
    part.size += size;
    for (const oldest of part.keys) {
      if (part.size <= cachedResponses.bytesOfCaller) break;
      this.#entries.delete(oldest);
    }
  }

  delete({ whole }: CallerKey): void {
    this.#entries.delete(whole);
  }

  /** Drops all values of an identity: before and after each write, and when REST refuses its credential. */
  drop(identity: string): void {
    this.#droppedAt.set(identity, performance.now());
    for (const key of this.#byIdentity.get(identity) ?? []) this.#entries.delete(key);
  }

  /** Drops the values of all identities of a caller, such as all users of a tenant. */
  dropAllOf(caller: string): void {
    this.#droppedAt.set(allOf + caller, performance.now());
    for (const key of this.#byCaller.get(caller)?.keys ?? []) this.#entries.delete(key);
  }

  /** When the values of the key's reader were last dropped. */
  #dropTimeOf({ reader, caller }: CallerKey): number {
    const droppedAt = [this.#droppedAt.get(reader) ?? 0, this.#droppedAt.get(allOf + caller) ?? 0];
    return Math.max(...droppedAt, this.#forgottenAt);
  }

  #disposed({ identity, caller, size }: Entry, key: string): void {
    const keys = this.#byIdentity.get(identity);
    if (keys?.delete(key) && keys.size === 0) this.#byIdentity.delete(identity);
    const part = this.#byCaller.get(caller);
    if (!part?.keys.delete(key)) return;
    part.size -= size;
    if (part.keys.size === 0) this.#byCaller.delete(caller);
  }
}

type Reader = Pick<CallerHeaders, "identity" | "caller">;

/**
 * A cache key. The key of a single caller's value begins with the caller's identity, the key of a public value with `everyone`.
 * The whole key is built once, because a `Map` hashes each new string again, and the URL of a batched call has thousands of
 * characters.
 */
export class CallerKey {
  /** The identity that the value belongs to: the reader's, or `everyone`. */
  readonly identity: string;
  /** The identity of the caller that reads or fetches the value. */
  readonly reader: string;
  /** The caller to whose size the value counts; it may have several identities, such as all users of a tenant. */
  readonly caller: string;
  readonly whole: string;

  constructor(reader: Reader, own: string, identity = reader.identity) {
    this.identity = identity;
    this.reader = reader.identity;
    this.caller = reader.caller;
    this.whole = identity + own;
  }

  /** Returns the key of a value that is the same for all callers. */
  static ofAll(reader: Reader, own: string): CallerKey {
    return new CallerKey(reader, own, everyone);
  }

  get isPublic(): boolean {
    return this.identity === everyone;
  }
}

/**
 * Remembers which keys were requested recently, in four bytes each: the doorkeeper of TinyLFU (Einziger, Friedman and Manes,
 * "TinyLFU: A Highly Efficient Cache Admission Policy", §3.4.2) as a table of fingerprints, in which each new fingerprint
 * replaces an older one. "Recently" therefore means about as many keys ago as the table has slots. Each caller has a row, which
 * it may share with other callers: a caller that requests very many keys displaces the fingerprints of only a few callers.
 */
const rows = 64;
const slotsPerRow = 64;

class Doorkeeper {
  readonly #fingerprints = new Uint32Array(rows * slotsPerRow); // 16 KiB

  /** Whether the key was requested recently. Remembers the key. */
  checkAndRemember(caller: string, key: string): boolean {
    const fingerprint = hashOf(key);
    const slot = (hashOf(caller) % rows) * slotsPerRow + ((fingerprint >>> 16) % slotsPerRow);
    const isKnown = this.#fingerprints[slot] === fingerprint;
    this.#fingerprints[slot] = fingerprint;
    return isKnown;
  }
}

/** FNV-1a. A collision is harmless: it has the same effect as requesting one key twice. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
