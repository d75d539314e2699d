/**
 * Bounds the look-ups of keys that are not good, for each address: a bucket of tokens that fills slowly. A look-up that
 * finds no good key takes a token. Good keys take none, so new good keys of one address are all looked up. Keys with a
 * checksum and keys without have buckets of their own, so made-up keys without one keep no good key with one out.
 */
import { LRUCache } from "lru-cache";
import { badKeys, countedClients } from "../capacity.ts";

type Bucket = { tokens: number; at: number };

export class BadKeys {
  readonly #buckets = new LRUCache<string, Bucket>({ max: countedClients });

  /** Whether a key of this address may be looked up. */
  mayLookUp(address: string): boolean {
    const bucket = this.#buckets.get(address);
    return bucket === undefined || tokensOf(bucket) >= 1;
  }

  /** A look-up found that the key is not good. */
  found(address: string): void {
    const bucket = this.#buckets.get(address);
    const tokens = bucket === undefined ? badKeys.burst : tokensOf(bucket);
    this.#buckets.set(address, { tokens: Math.max(tokens - 1, 0), at: performance.now() });
  }
}

const tokensOf = ({ tokens, at }: Bucket): number =>
  Math.min(tokens + ((performance.now() - at) / 1_000) * badKeys.perSecond, badKeys.burst);
