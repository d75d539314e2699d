/**
 * Makes concurrent identical reads of one caller share one call (`RequestCoalescer`). Reads are identical if their URL and their
 * headers are equal, except for the request id and the trace. Each request keeps its own deadline and budgets. The call has its
 * own scope and is abandoned only if all clients disconnect.
 *
 * Reads of a public operation also wait for calls of other callers, because their response may be stored for all callers. Until
 * such a response is stored, the callers make their calls one after another, so that few calls are needed.
 */
import type { CodedError } from "../../coded-error.ts";
import { Deadline } from "../../deadline.ts";
import { RequestCoalescer, type Waiter } from "../../governor/request-coalescer.ts";
import { TransientMap } from "../../governor/transient-map.ts";
import type { RequestScope } from "../request-scope.ts";
import { noResponse } from "../rest-failure.ts";
import type { RestResponse } from "../rest-response.ts";
import type { CallerKey } from "./caller-cache.ts";

type Read = {
  readonly scope: RequestScope;
  readonly caller: string;
  readonly send: (scope: RequestScope) => Promise<RestResponse>;
  /** Returns a fresh response if one has been stored since the read began to wait. */
  readonly fresh: () => RestResponse | undefined;
  /** Whether another caller's call may store a response for this read. */
  readonly waitsForOthers: () => boolean;
};
/** The response that a waiting read gets; `undefined` if the read must wait again. */
type Result = RestResponse | undefined;
type Identical = RequestCoalescer<Read, Result>;

export class SharedReads {
  readonly #reads = new TransientMap<Identical>();

  /** Counts a call as in flight, until the returned function is called. */
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
   * Waits for the response of a call in flight or of the next call. Returns `undefined` if the read must make a call at once.
   * `forget` is called if the read fails.
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
 * Called when reads must stop waiting. The reads of the first caller share a call. If this call may store a response for all
 * callers, the reads of the other callers wait again. Otherwise each of these callers makes one call at once.
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

/** Makes one call in a new scope for the waiting reads of a caller. */
async function call(waiters: readonly Waiter<Read, Result>[]): Promise<void> {
  const [first] = waiters as [Waiter<Read, Result>];
  const scope = first.request.scope.fresh();
  void Promise.allSettled(waiters.map(({ result }) => result)).then(() => scope.close());
  try {
    const response = await first.request.send(scope);
    response.parse();
    scope.close(); // each waiting request reserves the bytes in its own scope
    for (const waiter of waiters) waiter.settle(waiter === first ? response : response.copy("shared"));
  } catch (error) {
    for (const waiter of waiters) waiter.settle(error as CodedError);
  }
}
