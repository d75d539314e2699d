/**
 * Identical reads that wait at the same time share one call (`RequestCoalescer`). Identical reads have the same URL and the same
 * headers, except for the request's id and trace, so they have the same caller. Each request keeps its own deadline and budgets.
 * The call has its own scope, and is abandoned only if the clients of all its requests disconnect.
 *
 * Public reads of different callers wait together too, for a response that is cached for all callers. Until such a response is
 * cached, each caller makes its own call, one caller after another, so that few calls are needed.
 */
import type { CodedError } from "../../coded-error.ts";
import { Deadline } from "../../deadline.ts";
import { RequestCoalescer, type Waiter } from "../../governor/request-coalescer.ts";
import { TransientMap } from "../../governor/transient-map.ts";
import type { CallerKey } from "../cache/caller-cache.ts";
import type { RequestScope } from "../request-scope.ts";
import { noResponse } from "../rest-failure.ts";
import type { RestResponse } from "../rest-response.ts";

type Read = {
  readonly scope: RequestScope;
  readonly caller: string;
  /** Makes the call in the scope. */
  readonly send: (scope: RequestScope) => Promise<RestResponse>;
  /** Returns a fresh response if one was stored meanwhile. */
  readonly fresh: () => RestResponse | undefined;
  /** Whether another caller's call may store a response that this read can use. */
  readonly waitsForOthers: () => boolean;
};
/** `undefined` if the read has to wait again. */
type Result = RestResponse | undefined;
type Identical = RequestCoalescer<Read, Result>;

export class SharedReads {
  readonly #reads = new TransientMap<Identical>();

  /** Counts a call that begins. Returns the function that ends it. */
  begin(key: CallerKey): () => void {
    const reads = this.#of(key);
    const waiters = reads.begin();
    return () => reads.end(waiters);
  }

  #of({ whole }: CallerKey): Identical {
    const idle = (isInFlight: boolean) => isInFlight || this.#reads.delete(whole);
    const reads: Identical = this.#reads.get(whole) ?? new RequestCoalescer(() => continueReads(reads), idle);
    this.#reads.set(whole, reads);
    return reads;
  }

  isInFlight({ whole }: CallerKey): boolean {
    return this.#reads.has(whole);
  }

  /**
   * Returns the response of the next call, or `undefined` if the read need not wait for one. `forget` is called if the call is
   * not successful.
   */
  join(key: CallerKey, read: Read, forget: () => void): Promise<RestResponse> | undefined {
    const reads = this.#reads.get(key.whole);
    if (!reads || (!reads.oldest && reads.waitMs <= 0)) return undefined;
    read.scope.enter(true);
    return responseFor(read, () => this.#of(key).wait(read), forget);
  }
}

async function responseFor(
  { scope }: Read,
  wait: () => Waiter<Read, Result>,
  forget: () => void,
): Promise<RestResponse> {
  let waiter = wait();
  const deadline = new Deadline(scope.callTimeoutMs, () => waiter.leave(noResponse()));
  try {
    let response = await waiter.result;
    while (!response) {
      waiter = wait();
      response = await waiter.result;
    }
    const failure = scope.reserve(response.bytes, true);
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

/**
 * Called when the wait of all reads is over. The reads of the first caller share a call. The reads of other callers wait again:
 * until this call stores a response for all callers, or until they may make a call themselves. If no response for all callers is
 * expected, the reads of each caller share a call at once.
 */
function continueReads(reads: Identical): void {
  const waiters = reads.take().filter((waiter) => {
    const stored = waiter.request.fresh();
    if (stored) waiter.settle(stored);
    return !stored;
  });
  const [first, ...others] = Map.groupBy(waiters, ({ request }) => request.caller).values();
  if (first) void call(first);
  for (const group of others) {
    if (group[0]?.request.waitsForOthers()) for (const waiter of group) waiter.settle(undefined);
    else void call(group);
  }
}

/** Makes one call for all waiting reads of a caller, in a new scope. */
async function call(waiters: readonly Waiter<Read, Result>[]): Promise<void> {
  const [first] = waiters as [Waiter<Read, Result>];
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
