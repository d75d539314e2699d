/**
 * A failed read is repeated once. If REST refused the access token, the read is repeated with a new token. If the failure may be
 * temporary, it is repeated after a short wait. Writes are never retried.
 */
import { isSafeMethod, type Operation } from "../../shared/operation.ts";
import { CodedError, FailureReason } from "../coded-error.ts";
import type { CallRecord } from "../observe/request-record.ts";
import type { CallCredentials } from "./held-credentials.ts";
import type { RequestScope } from "./request-scope.ts";
import { isCredentialRefused } from "./rest-failure.ts";
import type { RetryBudget } from "./upstream/retry-budget.ts";

/** A failed call. `held` are the server's credentials that the call used. */
export type FailedCall = {
  readonly error: unknown;
  readonly call: CallRecord;
  readonly operation: Operation;
  readonly held: CallCredentials | undefined;
};

/**
 * Resolves with true when the call may be retried, and with false if it may not: for a write, a failed retry or a failure that
 * would recur, or if the request's deadline, its limit of calls or the retry budget of the upstream forbids it. Rejects if the
 * client disconnects during the wait.
 */
export async function waitForRetry(
  { error, call, operation, held }: FailedCall,
  scope: RequestScope,
  budget: RetryBudget,
): Promise<boolean> {
  if (call.isRetry || !isSafeMethod(call.method)) return false;
  if (held?.isRenewable && isCredentialRefused(error)) return scope.mayCallIn(0);
  const waitMs = retryWaitMs(error);
  const caller = scope.forwarded.ownerFor(operation);
  if (waitMs === undefined || !scope.mayCallIn(waitMs) || !budget.take(caller)) return false;
  await pause(scope, waitMs);
  return true;
}

/** Maximum wait before a retry. The wait is short, because the entire GraphQL response waits. */
const mostRetrySeconds = 1;

/**
 * Returns the milliseconds to wait before the retry, with jitter. Returns `undefined` if REST refused the read or requires a wait
 * longer than `mostRetrySeconds`, or if a `FailureReason` shows that the failure would recur.
 */
function retryWaitMs(error: unknown): number | undefined {
  if (!(error instanceof CodedError) || error.cause instanceof FailureReason) return undefined;
  const isFault = error.code === "UPSTREAM_UNAVAILABLE" || error.code === "UPSTREAM_ERROR";
  const isRefused = typeof error.cause === "number" && error.cause < 500;
  const { retryAfter } = error.details;
  if (retryAfter !== undefined && (isFault || error.code === "RATE_LIMITED"))
    return retryAfter <= mostRetrySeconds ? retryAfter * 1_000 + Math.random() * 100 : undefined;
  return isFault && !isRefused ? 5 + Math.random() * 25 : undefined;
}

/** Resolves after `waitMs`. Rejects when the client disconnects. */
function pause(scope: RequestScope, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  scope.onLeave(reject);
  return promise.finally(() => {
    clearTimeout(timer);
    scope.ended(reject);
  });
}
