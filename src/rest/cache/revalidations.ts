/**
 * Decides whether responses of an operation are kept for their validators alone. Some services send an `ETag` or a
 * `Last-Modified` and never respond with 304. Others send a new validator each time. A kept response of such an operation is
 * never used again, and costs time and memory. So no response of it is kept for a while; then keeping is tried again.
 */
import { vainRevalidations } from "../../settings/capacity.ts";

/** Conditional calls in a row that got no 304, and until when nothing is kept. */
type Vain = { calls: number; until: number };

export class Revalidations {
  readonly #vain = new Map<string, Vain>();

  /** Counts the response to a conditional call. */
  count(operationId: string, isUnchanged: boolean): void {
    if (isUnchanged) {
      this.#vain.delete(operationId);
      return;
    }
    const vain = this.#vain.get(operationId) ?? { calls: 0, until: 0 };
    this.#vain.set(operationId, vain);
    if (++vain.calls >= vainRevalidations.inRow) vain.until = performance.now() + vainRevalidations.pauseMs;
  }

  areWorthwhile(operationId: string): boolean {
    const vain = this.#vain.get(operationId);
    return vain === undefined || vain.until <= performance.now();
  }
}
