/**
 * Decides whether an operation's responses are kept for their validators alone. Some services send an `ETag` or a
 * `Last-Modified` and never respond with 304. Others send a new validator each time, or their callers do not come back in
 * time. Such a response is never used again, and costs time and memory. So after some that were kept without any 304 none
 * is kept for a while; then one is, and if no 304 comes, the next pause is twice as long. A 304 ends all that. Callers count in
 * groups: so few are kept in vain, and what changes for one caller may be steady for most others.
 */
import { unconfirmedResponses } from "../../settings/capacity.ts";
import { hashOf } from "./caller-cache.ts";

const { inRow, groups, pauseMs, doublings } = unconfirmedResponses;

/** The responses kept since the last 304, and until when no more are. */
type Count = { kept: number; until: number };

export class ValidatorBackoff {
  readonly #counts = new Map<string, Count[]>();

  #of(identity: string, operationId: string): Count {
    const counts =
      this.#counts.get(operationId) ?? Array.from({ length: groups }, () => ({ kept: 0, until: 0 }));
    this.#counts.set(operationId, counts);
    return counts[hashOf(identity) % groups] as Count;
  }

  mayKeep(identity: string, operationId: string): boolean {
    return this.#of(identity, operationId).until <= performance.now();
  }

  /** Counts a response that is kept for its validator. */
  kept(identity: string, operationId: string): void {
    const count = this.#of(identity, operationId);
    if (++count.kept < inRow) return;
    count.until = performance.now() + pauseMs * 2 ** Math.min(count.kept - inRow, doublings);
  }

  /** Notes a 304. */
  confirmed(identity: string, operationId: string): void {
    Object.assign(this.#of(identity, operationId), { kept: 0, until: 0 });
  }
}
