/**
 * Determines from the revocation log whether an access token was revoked. Revocations must be remembered, because a token is
 * verified locally instead of being looked up again. A log entry is the id of one token (`jti`), or an `api_key_id` (by default
 * the client's id), which revokes all tokens issued to it so far.
 *
 * A token counts as confirmed for `unconfirmedMs` after it was issued. Later, the token counts as confirmed only if the log was
 * read completely within the last `unconfirmedMs`, and contains every entry since the token was issued. A token that is not
 * confirmed is looked up at key introspection.
 */
import { revocationLog } from "../runtime/settings/capacity.ts";
import type { RevocationListener } from "./revocation-log.ts";

/** The largest expected difference between the clocks of issuer, Redis and gateway, in ms. */
export const clockSkewMs = 10_000;

/** `issuedAt` is in ms since 1970. */
export type IssuedToken = { readonly tokenId: string; readonly apiKeyId: string; readonly issuedAt: number };

const mostRemembered = 2 * revocationLog.entries;

export class RevokedTokens implements RevocationListener {
  readonly #unconfirmedMs: number;
  /** The time of each revocation in ms since 1970, by the id of the token or key, in the order of the log. */
  readonly #revokedAt = new Map<string, number>();
  /** No revocation after this time (ms since 1970) was missed. */
  #completeSince = Number.POSITIVE_INFINITY;
  /**
   * `since` is the value of `#completeSince` before revocations were possibly missed. It still applies before `until`, a time on
   * the monotonic clock.
   */
  #former = { since: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(unconfirmedMs: number) {
    this.#unconfirmedMs = unconfirmedMs;
  }

  forget(revoked: ReadonlyMap<string, number>): void {
    for (const [id, at] of revoked) {
      const latest = Math.max(at, this.#revokedAt.get(id) ?? 0);
      this.#revokedAt.delete(id); // moves the id to the end
      this.#revokedAt.set(id, latest);
    }
    for (const [id, at] of this.#revokedAt) {
      if (this.#revokedAt.size <= mostRemembered) break;
      this.#revokedAt.delete(id);
      this.#completeSince = Math.max(this.#completeSince, at);
      this.#former.since = Math.max(this.#former.since, at);
    }
  }

  confirm(at: number): void {
    this.#confirmedAt = at;
  }

  miss(completeSince: number): void {
    if (performance.now() >= this.#former.until)
      this.#former = { since: this.#completeSince, until: this.#confirmedAt + this.#unconfirmedMs };
    this.#completeSince = completeSince;
  }

  isRevoked({ tokenId, apiKeyId, issuedAt }: IssuedToken): boolean {
    const all = this.#revokedAt.get(apiKeyId) ?? Number.NEGATIVE_INFINITY;
    return this.#revokedAt.has(tokenId) || issuedAt <= all + clockSkewMs;
  }

  isConfirmed({ issuedAt }: IssuedToken): boolean {
    if (Date.now() - issuedAt < this.#unconfirmedMs) return true;
    const now = performance.now();
    const isCovered = (since: number): boolean => issuedAt > since + clockSkewMs;
    if (now < this.#former.until && isCovered(this.#former.since)) return true;
    return now - this.#confirmedAt < this.#unconfirmedMs && isCovered(this.#completeSince);
  }
}
