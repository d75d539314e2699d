/**
 * Caches REST responses and GraphQL responses if REST's caching headers permit it: public values for all callers, other values
 * per caller (`CallerKey`).
 *
 * A write drops all values of its caller, for all products, so that the caller reads its own writes. RFC 9111 §4.4 requires this
 * only for the written URL. A caller also never reads a public value that is older than the caller's last write.
 *
 * The total size and the size per caller are limited, and the least recently used values are evicted first. A public value counts
 * toward the size of the caller whose request fetched it. When the cache is larger than `openBytes`, a value is cached only at
 * the second request for its key. Otherwise many callers would evict each other's values before these are reused.
 */
import { LRUCache } from "lru-cache";
import { cachedResponses } from "../../settings/capacity.ts";
import type { CallerHeaders } from "../caller-headers.ts";

/** `size` is the estimated memory of the value in bytes, without its key. */
type CachedValue = { readonly size: number };

/** The keys of one caller's values, oldest first, and the total size of the values. */
type CallerValues = { readonly keys: Set<string>; size: number };
type Entry = Pick<CallerKey, "identity" | "caller"> & {
  readonly value: CachedValue;
  readonly size: number;
  readonly beganAt: number;
};

const bytesPerUnit = 2;

/** Prefix of callers in `#droppedAt`, which also has identities as keys. No identity begins with a line break. */
const allOf = "\n";

/** The identity of public values. The identity of a caller never begins with a line break, so it never equals this identity. */
const everyone = "\nall\n";

export class CallerCache {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: cachedResponses.bytes,
    sizeCalculation: ({ size }) => size,
    dispose: (entry, key) => this.#disposed(entry, key),
  });
  readonly #doorkeeper = new Doorkeeper();
  readonly #publicDoorkeeper = new Doorkeeper();
  /** Maps an identity to the keys of its values. */
  readonly #byIdentity = new Map<string, Set<string>>();
  readonly #byCaller = new Map<string, CallerValues>();
  /** The time of the last `drop` of each identity and the last `dropAllOf` of each caller. */
  readonly #droppedAt = new LRUCache<string, number>({
    max: cachedResponses.writers,
    dispose: (at, _identity, reason) => {
      if (reason === "evict") this.#forgottenAt = Math.max(this.#forgottenAt, at);
    },
  });
  /** The latest time that was evicted from `#droppedAt`. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** The calling code must check the class of the value, because REST and GraphQL responses share the cache. */
  get(key: CallerKey): CachedValue | undefined {
    const { identity, whole } = key;
    if (!this.#byIdentity.has(identity)) return undefined; // avoids hashing a long key
    const entry = this.#entries.get(whole);
    if (entry?.identity !== identity) return undefined;
    return key.isPublic && entry.beganAt <= this.#dropTimeOf(key) ? undefined : entry.value;
  }

  /** Whether the cache accepts a new value for the key. Also records that the key was requested. */
  admits({ caller, whole, isPublic }: CallerKey): boolean {
    if (this.#entries.calculatedSize < cachedResponses.openBytes) return true;
    return isPublic
      ? this.#publicDoorkeeper.checkAndRemember(whole, whole)
      : this.#doorkeeper.checkAndRemember(caller, whole);
  }

  /** Caches a value that was requested at `beganAt`, unless the caller's values have been dropped since then. */
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

  /** Drops all values of an identity. Called before and after each write, and when REST refuses the credential. */
  drop(identity: string): void {
    this.#droppedAt.set(identity, performance.now());
    for (const key of this.#byIdentity.get(identity) ?? []) this.#entries.delete(key);
  }

  /** Drops the values of all identities of a caller, such as all users of a tenant. */
  dropAllOf(caller: string): void {
    this.#droppedAt.set(allOf + caller, performance.now());
    for (const key of this.#byCaller.get(caller)?.keys ?? []) this.#entries.delete(key);
  }

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
 * A cache key. The key begins with the identity of the caller, or with `everyone` for a public value. The string is built only
 * once: a `Map` hashes each new string again, and the URL of a batched call has thousands of characters.
 */
export class CallerKey {
  /** The identity that may read the value: the caller's, or `everyone`. */
  readonly identity: string;
  /** The identity of the requesting caller, even if the value is public. */
  readonly reader: string;
  /** The caller that the size is charged to. For example, all users of a tenant are one caller with several identities. */
  readonly caller: string;
  readonly whole: string;

  constructor(reader: Reader, own: string, identity = reader.identity) {
    this.identity = identity;
    this.reader = reader.identity;
    this.caller = reader.caller;
    this.whole = identity + own;
  }

  static ofAll(reader: Reader, own: string): CallerKey {
    return new CallerKey(reader, own, everyone);
  }

  get isPublic(): boolean {
    return this.identity === everyone;
  }
}

/**
 * The doorkeeper of TinyLFU (Einziger, Friedman and Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", §3.4.2), which
 * remembers the keys of recent requests. It is a table of fingerprints of four bytes each. A new fingerprint replaces the one in
 * its slot. Each caller is assigned to one row, so that a caller with very many keys displaces only fingerprints of callers in
 * this row.
 */
const rows = 64;
const slotsPerRow = 64;

class Doorkeeper {
  readonly #fingerprints = new Uint32Array(rows * slotsPerRow); // 16 KiB

  /** Whether the key was requested recently. Also records that the key is requested now. */
  checkAndRemember(caller: string, key: string): boolean {
    const fingerprint = hashOf(key);
    const slot = (hashOf(caller) % rows) * slotsPerRow + ((fingerprint >>> 16) % slotsPerRow);
    const isKnown = this.#fingerprints[slot] === fingerprint;
    this.#fingerprints[slot] = fingerprint;
    return isKnown;
  }
}

/** FNV-1a. After a collision, a key that is requested for the first time counts as already requested. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
