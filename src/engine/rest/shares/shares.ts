/** The budgets that all requests of the process share. */

import { type CodedError, overLimit, refusedBy } from "../../errors.ts";
import { decompressedAtOnce, requestBudgetsOfProcess } from "../../settings/capacity.ts";
import type { Environment } from "../../settings/environment.ts";
import { Bound, Places, type Refusal } from "./bound.ts";
import type { Caller } from "./caller.ts";
import { FairShare } from "./fair-share.ts";

export type Shares = ReturnType<typeof openShares>;

export const openShares = (env: Pick<Environment, "MAX_REQUEST_BYTES">) => ({
  processor: new FairShare(),
  bytes: new HeldBytes(env),
  decompression: new Places(decompressedAtOnce),
});

/**
 * The bytes of REST's responses that requests hold. Each request has a budget, and the process has one, which callers share.
 */
export class HeldBytes {
  readonly #ofRequest: number;
  readonly bound: Bound;

  constructor({ MAX_REQUEST_BYTES }: Pick<Environment, "MAX_REQUEST_BYTES">) {
    this.#ofRequest = MAX_REQUEST_BYTES;
    this.bound = new Bound(requestBudgetsOfProcess * MAX_REQUEST_BYTES);
  }

  /**
   * Adds `bytes` to the `held` bytes of a caller's request. If that is too much, returns the failure and adds nothing. A
   * response to a write is never refused for the process's budget: the write is done, and must not be sent again.
   */
  take(caller: Caller, held: number, bytes: number, isRead: boolean): CodedError | undefined {
    if (held + bytes > this.#ofRequest) return requestTooLarge(this.#ofRequest);
    if (!isRead) return void this.bound.add(caller, bytes);
    const refusal = this.bound.take(caller, bytes);
    return refusal && processFull(refusal);
  }

  giveBack(caller: Caller, bytes: number): void {
    if (bytes > 0) this.bound.giveBack(caller, bytes);
  }
}

const requestTooLarge = (limit: number): CodedError =>
  overLimit("MAX_REQUEST_BYTES", limit, `one request reads at most ${limit} bytes of REST answers`);

const processFull = (refusal: Refusal): CodedError =>
  refusedBy(
    "response_bytes",
    "SERVICE_UNAVAILABLE",
    `${refusal === "caller" ? "this caller's" : "all callers'"} requests hold too much at once; try again`,
  );
