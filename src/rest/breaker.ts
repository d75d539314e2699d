/**
 * An upstream's circuit breaker: after five failures in a row its calls are refused at once, but for one that tries
 * again soon, and less and less often while it goes on failing. What counts is that nobody answered, or that a gateway
 * said so: a 500, or an answer that cannot be used, may be about one tenant's data and says nothing of the others'.
 * While all is well the policy is only told of failures, so that a call that works waits for nothing more.
 */
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from "cockatiel";
import { CodedError } from "../errors.ts";
import type { Answer } from "./answer.ts";
import { notSent } from "./failure.ts";

const consecutiveFailures = 5;
const backoff = { initialDelay: 100, maxDelay: 15_000 };

export class Breaker {
  readonly #failures = new ConsecutiveBreaker(consecutiveFailures);
  readonly #policy;
  readonly #isFault: (error: unknown) => boolean;

  /** `isFault` tells the upstream's own failures from the caller's; so do the statuses of a gateway's. */
  constructor(isFault: (error: unknown) => boolean) {
    this.#isFault = isFault;
    this.#policy = circuitBreaker(
      handleWhen(isFault).orWhenResult((result) => isFailure(result as Answer)),
      { breaker: this.#failures, halfOpenAfter: new ExponentialBackoff(backoff) },
    );
  }

  /** Makes the call, or rejects with `UPSTREAM_UNAVAILABLE` while the upstream is left alone. */
  run(call: () => Promise<Answer>): Promise<Answer> {
    if (this.#policy.state === CircuitState.Closed) return call();
    if (this.#policy.state === CircuitState.HalfOpen) return Promise.reject(leftAlone()); // one call tries; the others need not wait for it
    return this.#policy.execute(call).catch((error) => {
      throw error instanceof BrokenCircuitError ? leftAlone() : error;
    });
  }

  /** Counts what a call came to, unless the circuit has opened since; the policy itself counts the one that tries. */
  count(outcome: Answer | CodedError): void {
    if (this.#policy.state !== CircuitState.Closed) return;
    const isError = outcome instanceof CodedError;
    if (!isError && !isFailure(outcome)) return this.#failures.success();
    if (isError && !this.#isFault(outcome)) return;
    const tell = async () => {
      if (isError) throw outcome;
      return outcome;
    };
    this.#policy.execute(tell).catch(() => {}); // its caller is told elsewhere
  }
}

/** Bad Gateway, Service Unavailable, Gateway Timeout (RFC 9110 §15.6). */
const isFailure = ({ status }: Answer): boolean => status >= 502 && status <= 504;

const leftAlone = (): CodedError => notSent("it failed too often and is left alone for a while");
