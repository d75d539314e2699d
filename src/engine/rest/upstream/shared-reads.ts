/**
 * Identical reads that wait together are one call. Identical reads have the same URL and the same headers, except for
 * the request's id and trace, so they have the same caller. A call that is under way is never joined: its response may
 * be older than a write that the new reader knows of. So a reader sees each write that ended before it asked, also a
 * write through another replica.
 *
 * A read waits until an identical call ends, but not longer than `pauseMs` after the last one began, for each that is
 * under way. So calls that hang become fewer and fewer. All reads that wait share the next call. Each reader keeps its own
 * deadline and budgets. The call ends early only if all of its readers leave. No later reader gets its response or its
 * failure.
 */
import type { CodedError } from "../../errors.ts";
import { Deadline } from "../../time/deadline.ts";
import type { CallerKey } from "../cache/caller-cache.ts";
import { noResponse } from "../failure.ts";
import type { RequestScope } from "../request-scope.ts";
import { RestResponse } from "../rest-response.ts";
import { TransientMap } from "../shares/transient-map.ts";

/**
 * Milliseconds of waiting for each identical one that is under way. Measured over a REST of 30 ms: with 50 for
 * all together, an answer for two viewers of one dashboard took 51 ms, with 20 for each 37 ms, as for one viewer.
 */
const pauseMs = 20;

/** Milliseconds for which a reader waits for the end of identical ones, of which the last one began at `beganAt`. */
export const pauseBehind = (underWay: number, beganAt: number): number =>
  beganAt + pauseMs * underWay - performance.now();

/** Makes the call with the scope's headers. */
type Send = (scope: RequestScope) => Promise<RestResponse>;

/** The identical calls that are under way, and the call that waits for the end of one. */
type Sent = { underWay: number; beganAt: number; next: NextCall | undefined };

export class SharedReads {
  readonly #sent = new TransientMap<Sent>();

  /** Notes that a call begins. Returns the function that ends it. */
  begin({ whole }: CallerKey): () => void {
    const sent = this.#sent.get(whole) ?? { underWay: 0, beganAt: 0, next: undefined };
    this.#sent.set(whole, sent);
    sent.underWay++;
    sent.beganAt = performance.now();
    return () => {
      if (--sent.underWay === 0) this.#sent.delete(whole);
      sendNext(sent);
    };
  }

  isUnderWay({ whole }: CallerKey): boolean {
    return this.#sent.has(whole);
  }

  /** The response of the next call, if the read waits for one. `forget` is called if the response is no success. */
  join(
    { whole }: CallerKey,
    scope: RequestScope,
    send: Send,
    forget: () => void,
  ): Promise<RestResponse> | undefined {
    const sent = this.#sent.get(whole);
    if (!sent) return undefined;
    if (!sent.next) {
      const waitMs = pauseBehind(sent.underWay, sent.beganAt);
      if (waitMs <= 0) return undefined;
      sent.next = new NextCall(
        send,
        setTimeout(() => sendNext(sent), waitMs),
      );
    }
    return sent.next.join(scope, forget);
  }
}

function sendNext(sent: Sent): void {
  const { next } = sent;
  sent.next = undefined;
  void next?.make();
}

type Outcome = RestResponse | CodedError;

type Reader = { readonly scope: RequestScope; readonly settle: (outcome: Outcome) => void };

class NextCall {
  readonly #send: Send;
  readonly #timer: NodeJS.Timeout;
  readonly #readers = new Set<Reader>();
  #scope: RequestScope | undefined;

  constructor(send: Send, timer: NodeJS.Timeout) {
    this.#send = send;
    this.#timer = timer;
  }

  join(scope: RequestScope, forget: () => void): Promise<RestResponse> {
    scope.enter(true);
    const { promise, resolve, reject } = Promise.withResolvers<RestResponse>();
    const leave = (failure: CodedError): void => {
      reader.settle(failure);
      if (this.#readers.size === 0) this.#scope?.leave();
    };
    const deadline = new Deadline(scope.callTimeoutMs, () => leave(noResponse()));
    const reader: Reader = {
      scope,
      settle: (outcome) => {
        this.#readers.delete(reader);
        deadline.clear();
        scope.ended(leave);
        const isResponse = outcome instanceof RestResponse;
        if (!isResponse || !outcome.ok) forget();
        if (isResponse) resolve(scope.take(outcome));
        else reject(outcome);
      },
    };
    scope.onLeave(leave);
    this.#readers.add(reader);
    return promise;
  }

  /** Makes the call, if a reader is left, in a scope of its own. */
  async make(): Promise<void> {
    clearTimeout(this.#timer);
    const [first] = this.#readers;
    if (!first) return;
    this.#scope = first.scope.fresh();
    const outcome = await this.#outcome(this.#scope);
    this.#scope.close();
    for (const reader of this.#readers) {
      const response = outcome instanceof RestResponse ? outcome : undefined;
      const failure = response && reader.scope.hold(response.bytes, true);
      reader.settle(failure ?? (reader === first ? outcome : (response?.copy("shared") ?? outcome)));
    }
  }

  async #outcome(scope: RequestScope): Promise<Outcome> {
    try {
      const response = await this.#send(scope);
      response.parse();
      return response;
    } catch (error) {
      return error as CodedError;
    }
  }
}
