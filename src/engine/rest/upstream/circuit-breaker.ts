/**
 * An upstream's circuit breaker. Five failed calls in a row open the circuit: calls are refused at once. After a pause one
 * call is a trial. A trial that works closes the circuit. Each failed trial doubles the pause.
 */
const maxFailures = 5;
const firstPauseMs = 100;
const maxPauseMs = 15_000;

/** `unknown`: the call says nothing about the upstream, because its client left or its turn never came. */
export type Verdict = "worked" | "failed" | "unknown";
type Admission = "ordinary" | "trial";

export class CircuitBreaker {
  #failuresInARow = 0;
  /** On the monotonic clock. It is read while the circuit is open. */
  #nextTrialAt = 0;

  get isOpen(): boolean {
    return this.#failuresInARow >= maxFailures;
  }

  /** `undefined`: the call is refused. Each admitted call is counted once. */
  admit(): Admission | undefined {
    if (!this.isOpen) return "ordinary";
    if (performance.now() < this.#nextTrialAt) return undefined;
    this.#nextTrialAt = Number.POSITIVE_INFINITY; // one trial at a time
    return "trial";
  }

  count(admission: Admission, verdict: Verdict): void {
    if (this.isOpen && admission === "ordinary") return; // the call began before the circuit opened
    this.#nextTrialAt = 0;
    if (verdict === "worked") this.#failuresInARow = 0;
    if (verdict !== "failed") return;
    const pauseMs = Math.min(firstPauseMs * 2 ** (++this.#failuresInARow - maxFailures), maxPauseMs);
    // Each pause varies by a quarter, so that processes do not try at the same time.
    this.#nextTrialAt = performance.now() + pauseMs * (0.75 + Math.random() / 4);
  }
}
