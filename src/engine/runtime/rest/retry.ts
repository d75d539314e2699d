/**
 * Retries of REST calls. A read that fails is made once more: with a new access token if REST refused the old one, or after a
 * short wait if the failure may be temporary. Writes are never retried.
 */
import { isSafeMethod, type Operation } from "../../shared/operation.ts";
import { CodedError, FailureReason } from "../coded-error.ts";
import type { CallRecord } from "../observe/request-record.ts";
import type { CallCredentials } from "./held-credentials.ts";
import type { RequestScope } from "./request-scope.ts";
import { isCredentialRefused } from "./rest-failure.ts";
import type { RetryBudget } from "./upstream/retry-budget.ts";

/** A call that failed. `held`: the credentials of the server that it was made with. */
export type FailedCall = {
  readonly error: unknown;
  readonly call: CallRecord;
  readonly operation: Operation;
  readonly held: CallCredentials | undefined;
};

/**
 * Waits until the call may be retried, and returns true. Returns false if it is not retried, because it is a write or already the
 * retry, because it would fail again, or because the request's deadline or the upstream's retry budget does not allow it. Rejects
 * if the client disconnects during the wait.
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

/** Maximum time that a read waits for its retry, because the entire GraphQL response waits with it. */
const mostRetrySeconds = 1;

/**
 * Returns the milliseconds before a read is retried, with jitter. Returns `undefined` if it is not retried: because it was
 * refused, because REST requires a longer wait than `mostRetrySeconds`, or because a `FailureReason` shows that it would fail
 * again.
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

/** Rejects as soon as the client disconnects. */
function pause(scope: RequestScope, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  scope.onLeave(reject);
  return promise.finally(() => {
    clearTimeout(timer);
    scope.ended(reject);
  });
}
