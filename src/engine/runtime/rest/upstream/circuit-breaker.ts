/**
 * The circuit breaker of an upstream. After five consecutive failures the circuit opens, and calls are refused. After a pause,
 * one call is admitted as a trial. If the trial succeeds, the circuit closes. If it fails, the next pause is twice as long.
 *
 * Each caller also has its own circuit, because a service may fail for one caller only, for example due to an expensive search or
 * corrupt data. The circuit of all callers counts at most three failures of each caller, so that it opens only if at least two
 * callers fail. The caller that failed last may make the trial of this circuit only after twice the pause, so that another caller
 * is more likely to make it.
 */
import { LRUCache } from "lru-cache";
import { failingCallers } from "../../settings/capacity.ts";

const maxFailures = 5;
const mostOfCaller = 3;
const firstPauseMs = 100;
const maxPauseMs = 15_000;

/** `unknown` means that the call shows nothing about the upstream, for example because the client disconnected. */
export type Verdict = "worked" | "failed" | "unknown";

/** Whether the admitted call is a trial of the circuit of all callers, and a trial of the circuit of its caller. */
type Admission = { readonly ofAll: boolean; readonly ofCaller: boolean };

class Circuit {
  readonly #mostOfCaller: number;
  #failuresInARow = 0;
  #failedTrials = 0;
  /** The counted failures of each caller since the last success. */
  readonly #failed = new Map<string, number>();
  #lastToFail = "";
  #pauseMs = 0;
  /** The time from which the next trial may start. Used only if the circuit is open. */
  #nextTrialAt = 0;

  /** `mostOfOneCaller` is the maximum number of failures counted for one caller. */
  constructor(mostOfOneCaller: number) {
    this.#mostOfCaller = mostOfOneCaller;
  }

  get isOpen(): boolean {
    return this.#failuresInARow >= maxFailures;
  }

  get isWithoutFailure(): boolean {
    return this.#failuresInARow === 0;
  }

  /** Whether the pause before the caller's trial is over. */
  isDue(caller: string): boolean {
    const longerMs = this.#mostOfCaller < maxFailures && caller === this.#lastToFail ? this.#pauseMs : 0;
    return performance.now() >= this.#nextTrialAt + longerMs;
  }

  /** Begins a trial. No other trial of this circuit may start before this trial has ended. */
  beginTrial(): void {
    this.#nextTrialAt = Number.POSITIVE_INFINITY;
  }

  count(caller: string, isTrial: boolean, verdict: Verdict): void {
    if (this.isOpen && !isTrial) return; // the call began before the circuit opened
    this.#nextTrialAt = 0;
    if (verdict === "worked") {
      this.#failuresInARow = 0;
      this.#failedTrials = 0;
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
    // jitter of a quarter, so that processes do not make their trials simultaneously
    this.#pauseMs = pauseMs * (0.75 + Math.random() / 4);
    this.#nextTrialAt = performance.now() + this.#pauseMs;
  }
}

export class CircuitBreaker {
  readonly #ofAll = new Circuit(mostOfCaller);
  /** The circuits of single callers with failures since their last success. */
  readonly #ofCaller = new LRUCache<string, Circuit>({ max: failingCallers });

  /** Whether the circuit of all callers is open. */
  get isOpen(): boolean {
    return this.#ofAll.isOpen;
  }

  /**
   * Whether the service seems to be down: the shared circuit is open, or one caller's circuit is open and no call has
   * succeeded since the last failure.
   */
  get isDown(): boolean {
    if (this.isOpen) return true;
    return !this.#ofAll.isWithoutFailure && [...this.#ofCaller.values()].some(({ isOpen }) => isOpen);
  }

  /** Returns `undefined` if the call is refused. Each admitted call must be reported by one `count`. */
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
