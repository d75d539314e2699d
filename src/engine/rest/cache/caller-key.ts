/**
 * A key of one caller alone: it begins with the caller's identity. The whole key is one string, because a `Map` hashes each
 * new string again, and the URL of a batched call has thousands of characters.
 */
export class CallerKey {
  readonly identity: string;
  readonly whole: string;

  constructor(identity: string, own: string) {
    this.identity = identity;
    this.whole = identity + own;
  }
}
