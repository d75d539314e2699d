/**
 * An upstream's circuit breaker. Five consecutive failed calls open a circuit: calls are then refused at once. After a pause, one
 * call is admitted as a trial. A successful trial closes the circuit. Each failed trial doubles the pause.
 *
 * A service may fail for a single caller, because of an expensive search or corrupt data. Each caller therefore has a separate
 * circuit. In the circuit of all callers, at most three failures of each caller count, so at least two callers must fail to open
 * it. The caller that failed last must wait twice the pause, so that another caller can make the trial.
 */
import { LRUCache } from "lru-cache";
import { failingCallers } from "../../settings/capacity.ts";

const maxFailures = 5;
const mostOfCaller = 3;
const firstPauseMs = 100;
const maxPauseMs = 15_000;

/**
 * `unknown`: the outcome of the call shows nothing about the upstream, because its client disconnected or it never got a
 * connection.
 */
export type Verdict = "worked" | "failed" | "unknown";

/** The circuits for which an admitted call is the trial. */
type Admission = { readonly ofAll: boolean; readonly ofCaller: boolean };

class Circuit {
  readonly #mostOfCaller: number;
  #failuresInARow = 0;
  #failedTrials = 0;
  /** Consecutive failures of each caller that have been counted. */
  readonly #failed = new Map<string, number>();
  #lastToFail = "";
  #pauseMs = 0;
  /** When the next trial may start, on the monotonic clock. Used only while the circuit is open. */
  #nextTrialAt = 0;

  /** `mostOfOneCaller`: the maximum number of failures of one caller that count. */
  constructor(mostOfOneCaller: number) {
    this.#mostOfCaller = mostOfOneCaller;
  }

  get isOpen(): boolean {
    return this.#failuresInARow >= maxFailures;
  }

  get isWithoutFailure(): boolean {
    return this.#failuresInARow === 0;
  }

  /** Whether the caller's next call may be the trial. */
  isDue(caller: string): boolean {
    const longerMs = this.#mostOfCaller < maxFailures && caller === this.#lastToFail ? this.#pauseMs : 0;
    return performance.now() >= this.#nextTrialAt + longerMs;
  }

  /** Starts a trial, and prevents others until it has ended. */
  beginTrial(): void {
    this.#nextTrialAt = Number.POSITIVE_INFINITY;
  }

  count(caller: string, isTrial: boolean, verdict: Verdict): void {
    if (this.isOpen && !isTrial) return; // the call began before the circuit opened
    this.#nextTrialAt = 0;
    if (verdict === "worked") {
      [this.#failuresInARow, this.#failedTrials] = [0, 0];
      this.#failed.clear();
    }
    if (verdict !== "failed") return;
    if (isTrial) this.#failedTrials++;
    const own = this.#failed.get(caller) ?? 0;
    if (own < this.#mostOfCaller && !this.isOpen) {
      this.#failed.set(caller, own + 1);
      this.#failuresInARow++;
    }
    this.#lastToFail = caller;
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#failedTrials, maxPauseMs);
    // Each pause varies by a quarter, so that processes do not try at the same time.
    this.#pauseMs = pauseMs * (0.75 + Math.random() / 4);
    this.#nextTrialAt = performance.now() + this.#pauseMs;
  }
}

export class CircuitBreaker {
  readonly #ofAll = new Circuit(mostOfCaller);
  /** The circuits of callers whose last call failed. */
  readonly #ofCaller = new LRUCache<string, Circuit>({ max: failingCallers });

  /** Whether calls of all callers are refused. */
  get isOpen(): boolean {
    return this.#ofAll.isOpen;
  }

  /**
   * Whether the service seems to be down: the circuit of all callers is open, or the circuit of one caller is open and no caller
   * has got a response since.
   */
  get isDown(): boolean {
    if (this.isOpen) return true;
    return !this.#ofAll.isWithoutFailure && [...this.#ofCaller.values()].some(({ isOpen }) => isOpen);
  }

  /** Returns `undefined` if the call is refused. Each admitted call must be passed to `count` once. */
  admit(caller: string): Admission | undefined {
    const own = this.#ofCaller.get(caller);
    const trial: Admission = { ofAll: this.#ofAll.isOpen, ofCaller: own?.isOpen === true };
    if (trial.ofAll && !this.#ofAll.isDue(caller)) return undefined;
    if (trial.ofCaller && !own?.isDue(caller)) return undefined;
    if (trial.ofAll) this.#ofAll.beginTrial();
    if (trial.ofCaller) own?.beginTrial();
    return trial;
  }

  count(caller: string, trial: Admission, verdict: Verdict): void {
    this.#ofAll.count(caller, trial.ofAll, verdict);
    let own = this.#ofCaller.get(caller);
    if (!own && verdict !== "failed") return;
    own ??= new Circuit(maxFailures);
    own.count(caller, trial.ofCaller, verdict);
    if (own.isWithoutFailure) this.#ofCaller.delete(caller);
    else this.#ofCaller.set(caller, own);
  }
}
