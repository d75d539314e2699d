/**
 * Limits the retries of one upstream to a fifth of the reads in the last five to ten seconds, so that retries add at most a fifth
 * to a failing service's load. At least three retries are allowed, even if an upstream has little traffic. A caller may use at
 * most three times as many retries as remain (dynamic thresholds, see `SharedQuota`): if all its reads fail, some are left for
 * others.
 */
import { dynamicThreshold } from "../../governor/shared-quota.ts";

const share = 0.2;
const free = 3;
const windowMs = 5_000;

class Window {
  calls = 0;
  retries = 0;
  readonly byCaller = new Map<string, number>();
}

export class RetryBudget {
  #last = new Window();
  #now = new Window();
  #until = 0;

  /** Counts one read. Must not be called for a retry. */
  count(): void {
    const now = performance.now();
    if (now >= this.#until) {
      this.#last = now < this.#until + windowMs ? this.#now : new Window();
      this.#now = new Window();
      this.#until = now + windowMs;
    }
    this.#now.calls++;
  }

  /** Takes one retry from the budget. Returns false if the caller may not retry now. */
  take(caller: string): boolean {
    const calls = this.#last.calls + this.#now.calls;
    const retries = this.#last.retries + this.#now.retries;
    const own = this.#now.byCaller.get(caller) ?? 0;
    const left = Math.max(free, share * calls) - retries - 1;
    if (left < 0 || own + (this.#last.byCaller.get(caller) ?? 0) > dynamicThreshold * left) return false;
    this.#now.retries++;
    this.#now.byCaller.set(caller, own + 1);
    return true;
  }
}
