/** Divides long work into time slices. Between two slices, the event loop serves requests. */
import { setImmediate, setTimeout } from "node:timers/promises";

export class Slices {
  readonly #ms: number;
  readonly #pauseMs: number;
  #until = 0;

  /** A slice lasts `ms`. The pause after it lasts `pauseMs`, or one tick of the event loop if `pauseMs` is 0. */
  constructor(ms: number, pauseMs = 0) {
    this.#ms = ms;
    this.#pauseMs = pauseMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  /** Ends the current slice, even if its time is not over. Resolves when the next slice begins. */
  async next(): Promise<void> {
    await (this.#pauseMs > 0 ? setTimeout(this.#pauseMs, undefined, { ref: false }) : setImmediate());
    this.#until = performance.now() + this.#ms;
  }
}
