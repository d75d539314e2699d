/**
 * The budget of retries of one upstream: a fifth of the reads of the last five to ten seconds. So retries add at most a
 * fifth to the load of a service that fails. Three retries are free, for an upstream with hardly any traffic.
 */
const share = 0.2;
const free = 3;
const windowMs = 5_000;

type Window = { calls: number; retries: number };

export class RetryBudget {
  #last: Window = { calls: 0, retries: 0 };
  #now: Window = { calls: 0, retries: 0 };
  #until = 0;

  /** Counts a read at its first call. */
  count(): void {
    const now = performance.now();
    if (now >= this.#until) {
      this.#last = now < this.#until + windowMs ? this.#now : { calls: 0, retries: 0 };
      this.#now = { calls: 0, retries: 0 };
      this.#until = now + windowMs;
    }
    this.#now.calls++;
  }

  /** Takes one retry. Returns false if none is left. */
  take(): boolean {
    const calls = this.#last.calls + this.#now.calls;
    const retries = this.#last.retries + this.#now.retries;
    if (retries + 1 > Math.max(free, share * calls)) return false;
    this.#now.retries++;
    return true;
  }
}
