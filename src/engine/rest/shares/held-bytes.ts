/**
 * The bytes of REST's responses that requests hold. Each request has a budget, and the process has one, which callers share.
 */
import { type CodedError, overLimit, refusedBy } from "../../errors.ts";
import { requestBudgetsOfProcess } from "../../settings/capacity.ts";
import type { Environment } from "../../settings/environment.ts";
import { FairBound } from "./fair-bound.ts";

export class HeldBytes {
  readonly #ofRequest: number;
  readonly #held = new FairBound();

  constructor({ MAX_REQUEST_BYTES }: Pick<Environment, "MAX_REQUEST_BYTES">) {
    this.#ofRequest = MAX_REQUEST_BYTES;
  }

  /**
   * Adds `bytes` to the `held` bytes of a caller's request. If that is too much, returns the failure and adds nothing. A
   * response to a write is never refused for the process's budget: the write is done, and must not be sent again.
   */
  take(caller: string, held: number, bytes: number, isRead: boolean): CodedError | undefined {
    if (bytes === 0) return undefined; // whoever holds nothing is not one of those that share
    if (held + bytes > this.#ofRequest) return requestTooLarge(this.#ofRequest);
    const bound = isRead ? requestBudgetsOfProcess * this.#ofRequest : Number.POSITIVE_INFINITY;
    return this.#held.take(caller, bytes, bound) ? undefined : processFull();
  }

  giveBack(caller: string, bytes: number): void {
    if (bytes > 0) this.#held.giveBack(caller, bytes);
  }
}

const requestTooLarge = (limit: number): CodedError =>
  overLimit("MAX_REQUEST_BYTES", limit, `one request reads at most ${limit} bytes of REST answers`);

const processFull = (): CodedError =>
  refusedBy(
    "response_bytes",
    "SERVICE_UNAVAILABLE",
    "this caller's requests hold too much at once; try again",
  );
