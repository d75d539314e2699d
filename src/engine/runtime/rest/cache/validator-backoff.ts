/**
 * Decides whether an operation's responses are cached only because of their validators. Some services send an `ETag` or a
 * `Last-Modified` but never respond with 304. Others send a new validator each time, or their callers do not come back in time.
 * Such responses are never reused, and cost time and memory. Therefore, after `inRow` responses were cached without any 304, no
 * response is cached for a pause. Then one response is cached; if no 304 follows, the next pause is twice as long. A 304 resets
 * the count. Callers are counted in groups. With one count per caller, too many responses would be cached in vain. With a single
 * count, a resource that changes often for one caller would not be cached for the others, for most of which it may be stable.
 */
import { unconfirmedResponses } from "../../settings/capacity.ts";
import { hashOf } from "./caller-cache.ts";

const { inRow, groups, pauseMs, doublings } = unconfirmedResponses;

/** Number of responses cached since the last 304, and the time until which no more are cached. */
type Count = { cached: number; until: number };

export class ValidatorBackoff {
  readonly #counts = new Map<string, Count[]>();

  #of(identity: string, operationId: string): Count {
    const counts =
      this.#counts.get(operationId) ?? Array.from({ length: groups }, () => ({ cached: 0, until: 0 }));
    this.#counts.set(operationId, counts);
    return counts[hashOf(identity) % groups] as Count;
  }

  mayCache(identity: string, operationId: string): boolean {
    return this.#of(identity, operationId).until <= performance.now();
  }

  /** Counts a response that is cached because of its validator. */
  countCached(identity: string, operationId: string): void {
    const count = this.#of(identity, operationId);
    if (++count.cached < inRow) return;
    count.until = performance.now() + pauseMs * 2 ** Math.min(count.cached - inRow, doublings);
  }

  /** Resets the count after a 304. */
  reset(identity: string, operationId: string): void {
    Object.assign(this.#of(identity, operationId), { cached: 0, until: 0 });
  }
}
