/**
 * A key of one caller alone: it begins with the caller's identity. The whole key is one string, because a `Map` hashes each
 * new string again, and the URL of a batched call has thousands of characters.
 */
import type { Forwarded } from "../forwarded.ts";

export class CallerKey {
  /** Whom REST takes the caller for. */
  readonly identity: string;
  /** Whose part of the cache the value takes: all identities of one tenant share one. */
  readonly caller: string;
  readonly whole: string;

  constructor({ identity, caller }: Pick<Forwarded, "identity" | "caller">, own: string) {
    this.identity = identity;
    this.caller = caller;
    this.whole = identity + own;
  }
}
