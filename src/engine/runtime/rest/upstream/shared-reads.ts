/**
 * Identical reads that wait at the same time share one call (`RequestCoalescer`). Identical reads have the same URL and the same headers,
 * except for the request's id and trace, so they have the same caller. Each request keeps its own deadline and budgets. The
 * call has its own scope, and ends early only if all of its requests leave.
 */
import type { CodedError } from "../../coded-error.ts";
import { Deadline } from "../../deadline.ts";
import { RequestCoalescer, type Waiter } from "../../governor/request-coalescer.ts";
import { TransientMap } from "../../governor/transient-map.ts";
import type { CallerKey } from "../cache/caller-cache.ts";
import type { RequestScope } from "../request-scope.ts";
import { noResponse } from "../rest-failure.ts";
import type { RestResponse } from "../rest-response.ts";

/** `send` makes the call with the headers of a scope. */
type Read = { readonly scope: RequestScope; readonly send: (scope: RequestScope) => Promise<RestResponse> };
type Identical = RequestCoalescer<Read, RestResponse>;

export class SharedReads {
  readonly #reads = new TransientMap<Identical>();

  /** A call begins. Returns the function that ends it. */
  begin({ whole }: CallerKey): () => void {
    const idle = (isInFlight: boolean) => isInFlight || this.#reads.delete(whole);
    const reads: Identical = this.#reads.get(whole) ?? new RequestCoalescer(() => void call(reads), idle);
    this.#reads.set(whole, reads);
    const waiters = reads.begin();
    return () => reads.end(waiters);
  }

  isUnderWay({ whole }: CallerKey): boolean {
    return this.#reads.has(whole);
  }

  /** The response of the next call, if the read waits for one. `forget` is called for a response without success. */
  join({ whole }: CallerKey, read: Read, forget: () => void): Promise<RestResponse> | undefined {
    const reads = this.#reads.get(whole);
    if (!reads || (!reads.oldest && reads.waitMs <= 0)) return undefined;
    read.scope.enter(true);
    return responseFor(reads.wait(read), forget);
  }
}

async function responseFor({ request, result, leave }: Waiter<Read, RestResponse>, forget: () => void) {
  const { scope } = request;
  const deadline = new Deadline(scope.callTimeoutMs, () => leave(noResponse()));
  try {
    const response = await result;
    const failure = scope.hold(response.bytes, true);
    if (failure) throw failure;
    if (!response.ok) forget();
    return scope.take(response);
  } catch (failure) {
    forget();
    throw failure;
  } finally {
    deadline.clear();
  }
}

/** Makes one call for all reads that wait, in its own scope. */
async function call(reads: Identical): Promise<void> {
  const waiters = reads.take();
  const [first] = waiters as [Waiter<Read, RestResponse>];
  const scope = first.request.scope.fresh();
  void Promise.allSettled(waiters.map(({ result }) => result)).then(() => scope.close());
  try {
    const response = await first.request.send(scope);
    response.parse();
    scope.close(); // each request holds the bytes itself
    for (const waiter of waiters) waiter.settle(waiter === first ? response : response.copy("shared"));
  } catch (error) {
    for (const waiter of waiters) waiter.settle(error as CodedError);
  }
}
