/**
 * A REST call that waits for a connection or for its response. Enforces the deadlines. Callers share the connections of an
 * upstream (`SharedQuota`). If a caller has used up its share, its next call waits in a queue, so that slow or numerous calls of
 * one caller do not delay other callers.
 *
 * One deadline runs at a time, in this order:
 * - The connect deadline: the request must be assigned to a connection. It includes the wait in the queue and restarts if the
 *   queue has progressed.
 * - The call deadline: the whole response must have arrived. This deadline is never extended.
 * - The linger after a client has disconnected: a read keeps its connection for half a second: a response within this time saves
 *   a reconnect. Servers accept connections one by one, so many reconnects for one client would delay the connections
 *   of others.
 */
import type { CodedError } from "../../coded-error.ts";
import { Deadline } from "../../deadline.ts";
import type { Caller } from "../../governor/caller.ts";
import type { FairSemaphore } from "../../governor/fair-semaphore.ts";
import { noConnection, noResponse } from "../rest-failure.ts";
import type { Exchange } from "./exchange.ts";

const lingerMs = 500;

type Timeouts = { readonly connectMs: number; readonly callMs: number };

type Sending = {
  readonly exchange: Exchange;
  readonly timeouts: Timeouts;
  /** Called when the call gets a permit for a connection: by the constructor if no wait is needed. */
  readonly send: () => void;
};

export class PendingCall {
  readonly owner: Caller;
  readonly #connections: FairSemaphore;
  readonly #exchange: Exchange;
  readonly #timeouts: Timeouts;
  readonly #send: () => void;
  #isWaiting: boolean;
  /** Whether, since the last check, the call got its permit after a wait in the queue. */
  #hasWaited = false;
  /** The number of completed calls of the caller at the last check. `#completedOfAll` is the number for all callers. */
  #completedOfCaller: number;
  #completedOfAll: number;
  #deadline: Deadline | undefined;
  #spentMs = 0;

  constructor(owner: Caller, connections: FairSemaphore, { exchange, timeouts, send }: Sending) {
    this.owner = owner;
    this.#connections = connections;
    this.#exchange = exchange;
    this.#timeouts = timeouts;
    this.#send = send;
    this.#completedOfCaller = completedOf(owner);
    this.#completedOfAll = connections.completed;
    this.#isWaiting = !connections.enter(this);
    if (!this.#isWaiting) send();
    this.#checkIn(Math.max(Math.min(timeouts.connectMs, timeouts.callMs), 0));
  }

  /** Called when a queued call gets its permit. */
  begin(): void {
    this.#isWaiting = false;
    this.#hasWaited = true;
    this.#send();
  }

  #checkIn(ms: number): void {
    this.#deadline = new Deadline(ms, () => {
      this.#spentMs += ms;
      this.#check();
    });
  }

  #check(): void {
    const { callMs, connectMs } = this.#timeouts;
    const leftMs = callMs - this.#spentMs;
    if (this.#exchange.hasConnection) {
      if (leftMs > 0) this.#checkIn(leftMs);
      else this.#exchange.abort(noResponse());
    } else if (leftMs > 0 && this.#hasProgressed()) this.#checkIn(Math.min(connectMs, leftMs));
    else this.#exchange.abort(noConnection(this.#isWaiting || callMs < connectMs));
  }

  /**
   * Whether the queue has progressed since the last check: the call has left it since then. If the call still waits, its caller
   * must have completed at least as many calls since then as it uses connections. If the caller uses no connection, all callers
   * together must have completed at least as many calls as there are connections.
   */
  #hasProgressed(): boolean {
    if (!this.#isWaiting) {
      const hasBegun = this.#hasWaited;
      this.#hasWaited = false;
      return hasBegun;
    }
    const { quota: bound, completed, total } = this.#connections;
    const own = this.owner.accounts.reduce((sum, account) => sum + account.held(bound), 0);
    const completedOfCaller = completedOf(this.owner);
    const ofCaller = completedOfCaller - this.#completedOfCaller;
    const ofAll = completed - this.#completedOfAll;
    this.#completedOfCaller = completedOfCaller;
    this.#completedOfAll = completed;
    return own > 0 ? ofCaller >= own : ofAll >= total;
  }

  /** Called when the client has disconnected. Starts the linger, or aborts the call if it has no connection. */
  abandon(failure: CodedError): void {
    if (!this.#exchange.hasConnection) return this.#exchange.abort(failure);
    this.#deadline?.clear();
    this.#exchange.abandon();
    this.#deadline = new Deadline(lingerMs, () => this.#exchange.abort(failure));
  }

  /** Must be called once at the end of the call. Releases the permit. */
  end(hasResponse: boolean): void {
    this.#deadline?.clear();
    if (hasResponse) {
      for (const account of this.owner.accounts) account.completed++;
      this.#connections.completed++;
    }
    this.#connections.leave(this);
  }
}

/** A sum over the accounts, as is the number of used connections that it is compared with. */
const completedOf = ({ accounts }: Caller): number =>
  accounts.reduce((sum, { completed }) => sum + completed, 0);
