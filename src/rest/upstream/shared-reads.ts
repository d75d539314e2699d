/**
 * Identical reads that wait together are one call. Identical reads have the same URL and the same headers, except for
 * the request's id and trace, so they have the same caller. A call that is under way is never joined: its response may
 * be older than a write that the new reader knows of. So a reader sees each write that ended before it asked, also a
 * write through another replica.
 *
 * A read waits while the last identical call is under way, but not longer than `pauseMs` after that call began. All
 * reads that wait then share the next call. Each reader keeps its own deadline and budgets. The call ends early only if
 * all of its readers leave. No later reader gets its response or its failure.
 */

import type { CodedError } from "../../errors.ts";
import { Deadline } from "../../time/deadline.ts";
import type { CallerKey } from "../cache/caller-key.ts";
import { noResponse } from "../failure.ts";
import type { RequestScope } from "../request-scope.ts";
import { RestResponse } from "../rest-response.ts";
import { TransientMap } from "../shares/transient-map.ts";

/** A call that hangs holds up no reader for longer. */
export const pauseMs = 50;

/** Makes the call with the scope's headers. */
type Send = (scope: RequestScope) => Promise<RestResponse>;

/** A call that is under way, and the call that waits for its end. */
type Sent = { readonly at: number; next: NextCall | undefined };

export class SharedReads {
  /** The last call of each key. */
  readonly #sent = new TransientMap<Sent>();

  /** Notes that a call begins. Returns the function that ends it. */
  begin({ whole }: CallerKey): () => void {
    const sent: Sent = { at: performance.now(), next: undefined };
    this.#sent.set(whole, sent);
    return () => {
      if (this.#sent.get(whole) === sent) this.#sent.delete(whole);
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
    const last = this.#sent.get(whole);
    if (!last) return undefined;
    if (!last.next) {
      const waitMs = last.at + pauseMs - performance.now();
      if (waitMs <= 0) return undefined;
      last.next = new NextCall(
        send,
        setTimeout(() => sendNext(last), waitMs),
      );
    }
    return last.next.join(scope, forget);
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
