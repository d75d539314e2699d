/**
 * Bounds the requests that are executed at the same time while the event loop is busy. More of them would not be answered
 * sooner. They would only live longer, and what lives through two collections of the young generation costs several times
 * as much to collect. While the event loop has time to spare, requests wait for REST, and more of them start.
 *
 * Node accepts one connection a turn of the event loop, so a burst of connections waits for as many turns. Few requests
 * start in such a turn.
 */
import { performance } from "node:perf_hooks";
import { FairBound } from "./fair-bound.ts";

const atOnce = 16;
/** Starts in a turn that accepted a connection: more connections may wait behind that one. */
const mostWhileConnecting = 2;
/** The event loop is busy when it works this part of its time. It is measured over this many ms at least. */
const busy = 0.9;
const lookEveryMs = 2;

type Waiting = { readonly caller: string; readonly begin: () => void };

export class StartQueue {
  readonly #executing = new FairBound();
  readonly #waiting: Waiting[] = [];
  /** Starts in this turn, if it accepted a connection. */
  #started = 0;
  #isConnecting = false;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  /** Starts beyond the bound, because the event loop had time to spare. */
  #spare = 0;
  #lookedAt = 0;
  #utilization = performance.eventLoopUtilization();

  connected(): void {
    if (!this.#isConnecting) this.#started = 0;
    this.#isConnecting = true;
    this.#schedule();
  }

  /** Resolves when a request of the caller may start. `undefined`: at once. Each start has an `end`. */
  start(caller: string): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#mayStart(caller)) return undefined;
    this.#schedule();
    return new Promise((begin) => this.#waiting.push({ caller, begin }));
  }

  end(caller: string): void {
    this.#executing.giveBack(caller, 1);
    if (this.#waiting.length > 0) this.#schedule();
  }

  #mayStart(caller: string): boolean {
    if (this.#isConnecting && this.#started >= mostWhileConnecting) return false;
    if (!this.#executing.take(caller, 1, atOnce)) {
      if (!this.#hasSpare()) return false;
      this.#spare--;
      this.#executing.take(caller, 1, Number.POSITIVE_INFINITY);
    }
    this.#started++;
    return true;
  }

  #hasSpare(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt >= lookEveryMs) {
      const { utilization } = performance.eventLoopUtilization(this.#utilization);
      this.#spare = utilization < busy ? atOnce : 0;
      this.#utilization = performance.eventLoopUtilization();
      this.#lookedAt = now;
    }
    return this.#spare > 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    clearTimeout(this.#timer);
    setImmediate(() => this.#turn());
  }

  /** Starts what may start, in the order of `start`. A caller with many requests holds up no other. */
  #turn(): void {
    this.#isScheduled = false;
    this.#started = 0;
    for (let index = 0; index < this.#waiting.length; ) {
      const { caller, begin } = this.#waiting[index] as Waiting;
      if (this.#mayStart(caller)) {
        this.#waiting.splice(index, 1);
        begin();
      } else if (this.#executing.has(caller)) index++;
      else break; // nobody has a better claim than a caller without a request under way
    }
    if (this.#isConnecting && this.#waiting.length > 0) this.#schedule();
    else if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#schedule(), lookEveryMs);
    this.#isConnecting = false;
  }
}
