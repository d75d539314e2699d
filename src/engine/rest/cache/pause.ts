/**
 * Stands in the cache for a response that is not kept for its validator alone. Some services send an `ETag` or a
 * `Last-Modified` and never respond with 304. Others send a new validator each time. Such a response is never used again,
 * and costs time and memory. So after some vain conditional calls in a row none is kept for a while, then one is, and the
 * next pause is twice as long if that was in vain too.
 */
import { vainRevalidations } from "../../settings/capacity.ts";

const { inRow, pauseMs, doublings } = vainRevalidations;

export class Pause {
  /** Bytes in memory, about. */
  readonly size = 200;
  readonly vain: number;
  readonly #until: number;

  private constructor(vain: number) {
    this.vain = vain;
    this.#until = performance.now() + pauseMs * 2 ** Math.min(vain - inRow, doublings);
  }

  /** The pause after so many vain calls in a row, if there is one. */
  static after(vain: number): Pause | undefined {
    return vain < inRow ? undefined : new Pause(vain);
  }

  get isOver(): boolean {
    return this.#until <= performance.now();
  }
}
