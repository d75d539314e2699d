/**
 * A call in flight: its wait for a connection, and its deadlines. The callers of an upstream share its connections by a
 * `SharedQuota`, and a call beyond its caller's share waits in a queue. One caller's hanging or numerous calls therefore do not
 * delay other callers.
 *
 * One deadline runs at a time, in this order:
 * 1. The connect deadline, within which the request must be assigned to a connection, including the wait in the queue. While the
 * queue progresses, this deadline starts again whenever it expires.
 * 2. The call deadline, within which the whole response must have arrived. It is never extended.
 * 3. The linger of an abandoned read: for half a second, the read keeps its connection; then the connection is closed. A response
 * within that time saves a reconnect. A server accepts connections one at a time, so a client that disconnects repeatedly would
 * otherwise delay the new connections of all others.
 */
import type { CodedError } from "../../coded-error.ts";
import { Deadline } from "../../deadline.ts";
import type { Caller } from "../../governor/caller.ts";
import type { FairSemaphore } from "../../governor/fair-semaphore.ts";
import { noConnection, noResponse } from "../rest-failure.ts";
import type { Exchange } from "./exchange.ts";

const lingerMs = 500;

/** Milliseconds from the beginning of the call. */
type Timeouts = { readonly connectMs: number; readonly callMs: number };

type Sending = {
  readonly exchange: Exchange;
  readonly timeouts: Timeouts;
  /** Called once the call has a permit for a connection: at once, or after a wait in the queue. */
  readonly send: () => void;
};

export class PendingCall {
  readonly owner: Caller;
  readonly #connections: FairSemaphore;
  readonly #exchange: Exchange;
  readonly #timeouts: Timeouts;
  readonly #send: () => void;
  #isWaiting: boolean;
  /** Whether the call has left the queue since the last check. */
  #hasWaited = false;
  /** Calls of this caller, and of all callers, that were completed at the last check. */
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
    [this.#completedOfCaller, this.#completedOfAll] = [completedOf(owner), connections.completed];
    this.#isWaiting = !connections.enter(this);
    if (!this.#isWaiting) send();
    this.#checkIn(Math.max(Math.min(timeouts.connectMs, timeouts.callMs), 0));
  }

  /** Called when the call leaves the queue. */
  begin(): void {
    [this.#isWaiting, this.#hasWaited] = [false, true];
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
   * Whether the queue progressed since the last check: the caller has completed at least as many calls as it uses connections or,
   * if it uses none, all callers have completed at least as many calls as there are connections. Leaving the queue is progress
   * too.
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
    const [ofCaller, ofAll] = [completedOfCaller - this.#completedOfCaller, completed - this.#completedOfAll];
    [this.#completedOfCaller, this.#completedOfAll] = [completedOfCaller, completed];
    return own > 0 ? ofCaller >= own : ofAll >= total;
  }

  /** Starts the linger. A call without a connection is aborted at once. */
  abandon(failure: CodedError): void {
    if (!this.#exchange.hasConnection) return this.#exchange.abort(failure);
    this.#deadline?.clear();
    this.#exchange.abandon();
    this.#deadline = new Deadline(lingerMs, () => this.#exchange.abort(failure));
  }

  /** Must be called once when the call has ended. Releases its permit for another call. */
  end(hasResponse: boolean): void {
    this.#deadline?.clear();
    if (hasResponse) {
      for (const account of this.owner.accounts) account.completed++;
      this.#connections.completed++;
    }
    this.#connections.leave(this);
  }
}

/** Number of the caller's completed calls. A call is counted in each account of its caller. */
const completedOf = ({ accounts }: Caller): number =>
  accounts.reduce((sum, { completed }) => sum + completed, 0);
