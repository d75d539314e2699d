/**
 * A bucket of tokens for each owner, which fills slowly. An owner whose bucket is empty is refused. An owner who takes
 * no token is never refused.
 */
import { LRUCache } from "lru-cache";
import { countedClients } from "../settings/capacity.ts";

type Bucket = { tokens: number; at: number };
/** The tokens of a full bucket, and how many of them come back each second. */
type Size = { readonly burst: number; readonly perSecond: number };

export class TokenBuckets {
  readonly #buckets = new LRUCache<string, Bucket>({ max: countedClients });
  readonly #size: Size;

  constructor(size: Size) {
    this.#size = size;
  }

  /** Whether the owner has a token. */
  has(owner: string): boolean {
    return this.#tokensOf(owner) >= 1;
  }

  /** Takes a token, if there is one. */
  take(owner: string): void {
    this.#buckets.set(owner, { tokens: Math.max(this.#tokensOf(owner) - 1, 0), at: performance.now() });
  }

  #tokensOf(owner: string): number {
    const { burst, perSecond } = this.#size;
    const bucket = this.#buckets.get(owner);
    if (!bucket) return burst;
    return Math.min(bucket.tokens + ((performance.now() - bucket.at) / 1_000) * perSecond, burst);
  }
}
