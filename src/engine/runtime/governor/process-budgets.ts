/** The budgets shared by all requests of the process, and the errors for requests that exceed them. */

import { type CodedError, limitExceeded, refusedByLimit } from "../coded-error.ts";
import { decompressedAtOnce, requestBudgetsOfProcess } from "../settings/capacity.ts";
import type { Environment } from "../settings/environment.ts";
import { FairSemaphore } from "./fair-semaphore.ts";
import { FairShare } from "./processor-share.ts";
import { type Refusal, SharedQuota } from "./shared-quota.ts";

export type ProcessBudgets = ReturnType<typeof createProcessBudgets>;

export const createProcessBudgets = ({ MAX_REQUEST_BYTES }: Pick<Environment, "MAX_REQUEST_BYTES">) => ({
  processor: new FairShare(),
  /** Bytes of the REST responses that requests in flight keep in memory. */
  bytes: new SharedQuota(requestBudgetsOfProcess * MAX_REQUEST_BYTES),
  decompression: new FairSemaphore(decompressedAtOnce),
});

export const requestTooLarge = (limit: number): CodedError =>
  limitExceeded("MAX_REQUEST_BYTES", limit, `one request reads at most ${limit} bytes of REST answers`);

export const processFull = (refusal: Refusal): CodedError =>
  refusedByLimit(
    "response_bytes",
    "SERVICE_UNAVAILABLE",
    `${refusal === "caller" ? "this caller's" : "all callers'"} requests use too much memory at once; try again`,
  );
