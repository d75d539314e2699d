/** Long work beside requests: it runs in slices, and the event loop takes other turns in between. */
import { setImmediate, setTimeout } from "node:timers/promises";

export class Slices {
  readonly #ms: number;
  readonly #pauseMs: number;
  #until = 0;

  /** A slice lasts `ms`. `pauseMs` follow it; 0 waits for one turn of the event loop. */
  constructor(ms: number, pauseMs = 0) {
    this.#ms = ms;
    this.#pauseMs = pauseMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  /** Ends the slice, also before its time, and resolves when the next one begins. */
  async next(): Promise<void> {
    await (this.#pauseMs > 0 ? setTimeout(this.#pauseMs, undefined, { ref: false }) : setImmediate());
    this.#until = performance.now() + this.#ms;
  }
}
