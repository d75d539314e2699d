/**
 * Decides whether a caller's responses of an operation are kept for their validators alone. Some services send an `ETag` or
 * a `Last-Modified` and never respond with 304. Others send a new validator each time. A kept response of such an operation
 * is never used again, and costs time and memory. So none is kept for a while; then keeping is tried again. Each caller has
 * a count of its own: what changes for one caller may be steady for others.
 */
import { LRUCache } from "lru-cache";
import { vainRevalidations } from "../../settings/capacity.ts";

/** Conditional calls in a row that got no 304, and until when nothing is kept. */
type Vain = { calls: number; until: number };

export class Revalidations {
  /** The counts of each caller, by operation. A count that is forgotten begins anew. */
  readonly #vain = new LRUCache<string, Map<string, Vain>>({ max: vainRevalidations.callers });

  /** Counts the response to a conditional call. */
  count(identity: string, operationId: string, isUnchanged: boolean): void {
    const own = this.#vain.get(identity) ?? new Map<string, Vain>();
    if (isUnchanged) {
      own.delete(operationId);
      return;
    }
    this.#vain.set(identity, own);
    const vain = own.get(operationId) ?? { calls: 0, until: 0 };
    own.set(operationId, vain);
    if (++vain.calls >= vainRevalidations.inRow) vain.until = performance.now() + vainRevalidations.pauseMs;
  }

  areWorthwhile(identity: string, operationId: string): boolean {
    const vain = this.#vain.get(identity)?.get(operationId);
    return vain === undefined || vain.until <= performance.now();
  }
}
