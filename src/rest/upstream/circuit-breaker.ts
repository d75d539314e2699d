/**
 * An upstream's circuit breaker. After five failed calls in a row it opens: calls are refused at once. After a pause one
 * call is a trial. A trial that works closes the circuit. A trial that fails doubles the pause. All times are on the
 * monotonic clock, so a clock that is set back keeps no circuit open.
 */

const maxFailures = 5;
const firstPauseMs = 100;
const maxPauseMs = 15_000;

/** `unknown`: the call says nothing about the upstream, because its client left or its turn never came. */
export type Verdict = "worked" | "failed" | "unknown";
export type Admission = "ordinary" | "trial";

export class CircuitBreaker {
  /** Failed calls in a row, while the circuit is closed. */
  #failures = 0;
  /** Pauses since the circuit opened. */
  #pauses = 0;
  /** When the next trial may begin. `undefined`: the circuit is closed. */
  #trialAt: number | undefined;
  #isTrying = false;

  get isOpen(): boolean {
    return this.#trialAt !== undefined;
  }

  /** `undefined`: the call is refused. Each admitted call is counted once. */
  admit(): Admission | undefined {
    if (this.#trialAt === undefined) return "ordinary";
    if (this.#isTrying || performance.now() < this.#trialAt) return undefined;
    this.#isTrying = true;
    return "trial";
  }

  count(admission: Admission, verdict: Verdict): void {
    if (admission === "trial") return this.#endTrial(verdict);
    if (this.#trialAt !== undefined || verdict === "unknown") return; // the call began before the circuit opened
    this.#failures = verdict === "failed" ? this.#failures + 1 : 0;
    if (this.#failures === maxFailures) this.#pause();
  }

  /** After an `unknown` trial the next call is a trial. */
  #endTrial(verdict: Verdict): void {
    this.#isTrying = false;
    if (verdict === "failed") this.#pause();
    if (verdict === "worked") [this.#failures, this.#pauses, this.#trialAt] = [0, 0, undefined];
  }

  /** Each pause varies by a quarter, so that processes do not try at the same time. */
  #pause(): void {
    const ms = Math.min(firstPauseMs * 2 ** this.#pauses++, maxPauseMs);
    this.#trialAt = performance.now() + ms * (0.75 + Math.random() / 4);
  }
}
