/**
 * The bytes of REST's responses that requests hold. Each request has a budget, and the process has one. When the budget of
 * the process is spent, only a caller that holds less than an equal part of it gets more.
 */

import { type CodedError, overLimit, refusedBy } from "../../errors.ts";
import { requestBudgetsOfProcess } from "../../settings/capacity.ts";
import type { Environment } from "../../settings/environment.ts";
import { TransientMap } from "./transient-map.ts";

export class HeldBytes {
  readonly #ofRequest: number;
  readonly #ofProcess: number;
  readonly #byCaller = new TransientMap<number>();
  #total = 0;

  constructor({ MAX_REQUEST_BYTES }: Pick<Environment, "MAX_REQUEST_BYTES">) {
    this.#ofRequest = MAX_REQUEST_BYTES;
    this.#ofProcess = requestBudgetsOfProcess * MAX_REQUEST_BYTES;
  }

  /**
   * Adds `bytes` to the `held` bytes of a caller's request. If that is too much, returns the failure and adds nothing. A
   * response to a write is never refused for the process's budget: the write is done, and must not be sent again.
   */
  take(caller: string, held: number, bytes: number, isRead: boolean): CodedError | undefined {
    if (bytes === 0) return undefined; // whoever holds nothing is not one of those that share
    if (held + bytes > this.#ofRequest) return requestTooLarge(this.#ofRequest);
    const ofCaller = (this.#byCaller.get(caller) ?? 0) + bytes;
    const callers = this.#byCaller.size + (this.#byCaller.has(caller) ? 0 : 1);
    const isFull = this.#total + bytes > this.#ofProcess && ofCaller > this.#ofProcess / callers;
    if (isFull && isRead) return processFull();
    this.#total += bytes;
    this.#byCaller.set(caller, ofCaller);
    return undefined;
  }

  /** Gives bytes back. */
  giveBack(caller: string, bytes: number): void {
    if (bytes === 0) return;
    this.#total -= bytes;
    const left = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
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
