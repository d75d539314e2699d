/**
 * How many reads of an upstream may be tried again: a fifth of the calls of the last ten seconds, so that retries never
 * add more than that to the load of a service that is failing. A few are free where there is hardly any traffic.
 */
const share = 0.2;
const free = 3;
const windowMs = 5_000;

type Window = { calls: number; retries: number };

export class RetryBudget {
  #last: Window = { calls: 0, retries: 0 };
  #now: Window = { calls: 0, retries: 0 };
  #until = 0;

  /** Notes a read that is sent for the first time. */
  count(): void {
    const now = performance.now();
    if (now >= this.#until) {
      this.#last = now < this.#until + windowMs ? this.#now : { calls: 0, retries: 0 };
      this.#now = { calls: 0, retries: 0 };
      this.#until = now + windowMs;
    }
    this.#now.calls++;
  }

  /** Takes one retry, if there is one left. */
  take(): boolean {
    const calls = this.#last.calls + this.#now.calls;
    const retries = this.#last.retries + this.#now.retries;
    if (retries + 1 > Math.max(free, share * calls)) return false;
    this.#now.retries++;
    return true;
  }
}
