/** What the graphql role holds for one request: its place in the start queue, its quotas, and its REST calls. */
import type { FastifyRequest } from "fastify";
import type { CodedError } from "../coded-error.ts";
import type { Caller } from "../governor/caller.ts";
import type { Pausable } from "../governor/fair-share.ts";
import type { Refusal, SharedQuota } from "../governor/shared-quota.ts";
import type { QueuePlace } from "../governor/start-queue.ts";
import type { RequestScope } from "../rest/request-scope.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for the routes that `admitRequests` applies to. */
    admission: Admission | undefined;
  }
}

export type Unread = {
  readonly quota: SharedQuota;
  readonly refusals: Readonly<Record<Refusal, CodedError>>;
};

export class Admission implements Pausable {
  readonly caller: Caller;
  /**
   * The place in the start queue. It is replaced if the request has waited for an identical query and is then executed itself.
   */
  place: QueuePlace | undefined;
  #scope: RequestScope | undefined;
  /** The quota of requests in flight, while it counts this request. */
  #inFlight: SharedQuota | undefined;
  /**
   * Amounts that are held until the response has been read, or until the client has disconnected and the request's writes are
   * done.
   */
  #held: [quota: SharedQuota, amount: number][] | undefined;

  readonly #unread: Unread | undefined;

  /** `unread` counts the bytes of large responses. */
  constructor(caller: Caller, unread?: Unread) {
    this.caller = caller;
    this.#unread = unread;
  }

  /**
   * Counts the bytes of a large response, or of a part of one, until the request ends. Throws if the quota has too few bytes
   * left.
   */
  holdUnread(bytes: number): void {
    if (!this.#unread) return;
    const refusal = this.#unread.quota.take(this.caller, bytes);
    if (refusal) throw this.#unread.refusals[refusal];
    this.hold(this.#unread.quota, bytes);
  }

  /** Called when the request is executed. `scope` makes its REST calls. */
  execute(scope: RequestScope): void {
    this.#scope = scope;
  }

  /** Marks the request as in flight; `quota` has already counted it. */
  count(quota: SharedQuota): void {
    this.#inFlight = quota;
  }

  get isInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Returns `amount` to `quota` when the request ends; it must have been taken from `quota` already. */
  hold(quota: SharedQuota, amount: number): void {
    this.#held ??= [];
    this.#held.push([quota, amount]);
  }

  pause(): void {
    this.place?.pause();
  }

  resume(): void {
    this.place?.resume();
  }

  /**
   * Stops counting the request as in flight. A request that only waits for its own sub-requests calls this first, because those
   * are counted.
   */
  stopCounting(): void {
    this.place?.leave();
    this.#inFlight?.giveBack(this.caller, 1);
    this.#inFlight = undefined;
  }

  /** Called when the connection has closed. Calls `ended` and returns all quotas once the REST calls are done. */
  close(isAnswered: boolean, ended: () => void): void {
    const scope = this.#scope;
    const end = (): void => {
      ended();
      this.stopCounting();
      for (const [quota, amount] of this.#held ?? []) quota.giveBack(this.caller, amount);
      this.caller.leave();
    };
    if (!isAnswered) scope?.leave();
    if (scope && !scope.isClosed) scope.onClose = end;
    else end();
  }
}

/** Throws if the route of the request does not use `admitRequests`. */
export function admissionOf({ admission }: FastifyRequest): Admission {
  if (!admission) throw new Error("the route has no admission");
  return admission;
}
