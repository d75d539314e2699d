/**
 * The wait of one call for a connection. The callers of an upstream share its connections as `Bound` tells, and a call
 * beyond its caller's share waits for its turn. So calls that hang, or calls that are too many, hold up no other caller.
 */

import type { Places } from "../shares/bound.ts";
import type { Caller } from "../shares/caller.ts";

export class ConnectionTurn {
  readonly owner: Caller;
  readonly #places: Places;
  readonly #send: () => void;
  /** Calls that were completed at the last check. */
  #ofCaller: number;
  #ofAll: number;
  #isWaiting = true;
  #hasWaited = false;

  /** Calls `send` once there is a connection for the call: at once, after `enter`, or when it is its turn. */
  constructor(owner: Caller, places: Places, send: () => void) {
    this.owner = owner;
    this.#places = places;
    this.#send = send;
    this.#ofCaller = owner.completed;
    this.#ofAll = places.completed;
  }

  enter(): void {
    this.#isWaiting = !this.#places.enter(this);
    if (!this.#isWaiting) this.#send();
  }

  begin(): void {
    [this.#isWaiting, this.#hasWaited] = [false, true];
    this.#send();
  }

  /** Whether the call still waits for its turn. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /**
   * Whether the wait progressed since the last check: as many calls were completed as there are connections, of the
   * caller's if it has some, else of all callers'. A turn is progress.
   */
  hasProgressed(): boolean {
    if (!this.#isWaiting) {
      const hasBegun = this.#hasWaited;
      this.#hasWaited = false;
      return hasBegun;
    }
    const { owner } = this;
    const own = owner.held.get(this.#places.bound) ?? 0;
    const [ofCaller, ofAll] = [owner.completed - this.#ofCaller, this.#places.completed - this.#ofAll];
    [this.#ofCaller, this.#ofAll] = [owner.completed, this.#places.completed];
    return own > 0 ? ofCaller >= own : ofAll >= this.#places.total;
  }

  /** Ends the wait or gives the connection back. To be called once. */
  leave(): void {
    this.#places.leave(this);
  }
}
