/**
 * The deadlines of one call. One of them runs at a time, in this order:
 * 1. The connect deadline: the request must be on a connection. The wait for a turn counts. While the wait progresses,
 *    the call gets the same time again.
 * 2. The call deadline: the whole response must be there. Nothing extends it.
 * 3. The linger of an abandoned read: the read keeps its connection for half a second. A response within that time saves
 *    a reconnect. Then its connection is closed. A server takes in new connections one after the other, so a client that
 *    leaves again and again would hold up the new connections of all others.
 */
import type { CodedError } from "../../errors.ts";
import { Deadline } from "../../time/deadline.ts";
import { noConnection, noResponse } from "../failure.ts";
import type { ConnectionTurn } from "./connection-turn.ts";
import type { Exchange } from "./exchange.ts";

const lingerMs = 500;

/** Milliseconds from the call's begin. */
export type Timeouts = { readonly connectMs: number; readonly callMs: number };

export class CallDeadlines {
  readonly #timeouts: Timeouts;
  readonly #turn: ConnectionTurn;
  readonly #exchange: Exchange;
  #deadline: Deadline | undefined;
  #spentMs = 0;

  /** Starts the connect deadline. */
  constructor(timeouts: Timeouts, turn: ConnectionTurn, exchange: Exchange) {
    this.#timeouts = timeouts;
    this.#turn = turn;
    this.#exchange = exchange;
    this.#checkIn(Math.max(Math.min(timeouts.connectMs, timeouts.callMs), 0));
  }

  #checkIn(ms: number): void {
    this.#deadline = new Deadline(ms, () => {
      this.#spentMs += ms;
      this.#check();
    });
  }

  #check(): void {
    const leftMs = this.#timeouts.callMs - this.#spentMs;
    if (this.#exchange.hasConnection) {
      if (leftMs > 0) this.#checkIn(leftMs);
      else this.#exchange.abort(noResponse());
    } else if (leftMs > 0 && this.#turn.hasProgressed()) {
      this.#checkIn(Math.min(this.#timeouts.connectMs, leftMs));
    } else {
      const { callMs, connectMs } = this.#timeouts;
      this.#exchange.abort(noConnection(this.#turn.isWaiting || callMs < connectMs));
    }
  }

  /** Starts the linger. A call without a connection is aborted at once. */
  abandon(failure: CodedError): void {
    if (!this.#exchange.hasConnection) return this.#exchange.abort(failure);
    this.clear();
    this.#exchange.abandon();
    this.#deadline = new Deadline(lingerMs, () => this.#exchange.abort(failure));
  }

  /** Ends all deadlines. */
  clear(): void {
    this.#deadline?.clear();
  }
}
