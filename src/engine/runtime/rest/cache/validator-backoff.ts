/**
 * Decides whether responses with a validator but no lifetime are cached. Caching them helps only if the service later responds
 * with 304. Some services never respond with 304, because they ignore the validator or send a new validator each time. Some
 * callers do not repeat a request while its response is cached.
 *
 * After `inRow` cached responses of an operation without a 304, caching pauses. After the pause, one response is cached; if no
 * 304 follows, the next pause is twice as long. A 304 resets the count.
 *
 * Callers are divided into groups, and each group has its own count. One count per caller would cache too many responses in vain.
 * With one count for all, a resource that changes often for one caller would disable caching for the others.
 */
import { unconfirmedResponses } from "../../settings/capacity.ts";
import { hashOf } from "./caller-cache.ts";

const { inRow, groups, pauseMs, doublings } = unconfirmedResponses;

/** `cached`: responses cached since the last 304; `until`: end of the current pause. */
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

  countCached(identity: string, operationId: string): void {
    const count = this.#of(identity, operationId);
    if (++count.cached < inRow) return;
    count.until = performance.now() + pauseMs * 2 ** Math.min(count.cached - inRow, doublings);
  }

  reset(identity: string, operationId: string): void {
    Object.assign(this.#of(identity, operationId), { cached: 0, until: 0 });
  }
}
