/**
 * Identical reads that wait together are one call (`RequestCoalescer`). Identical reads have the same URL and the same headers,
 * except for the request's id and trace, so they have the same caller. Each reader keeps its own deadline and budgets. The
 * call has its own scope, and ends early only if all of its readers leave.
 */
import type { CodedError } from "../../coded-error.ts";
import { Deadline } from "../../deadline.ts";
import { type Reader, RequestCoalescer } from "../../governor/request-coalescer.ts";
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

  /** Notes that a call begins. Returns the function that ends it. */
  begin({ whole }: CallerKey): () => void {
    const idle = (isUnderWay: boolean) => isUnderWay || this.#reads.delete(whole);
    const reads: Identical = this.#reads.get(whole) ?? new RequestCoalescer(() => void call(reads), idle);
    this.#reads.set(whole, reads);
    const readers = reads.begin();
    return () => reads.end(readers);
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

async function responseFor({ asked, found, leave }: Reader<Read, RestResponse>, forget: () => void) {
  const { scope } = asked;
  const deadline = new Deadline(scope.callTimeoutMs, () => leave(noResponse()));
  try {
    const response = await found;
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
  const readers = reads.take();
  const [first] = readers as [Reader<Read, RestResponse>];
  const scope = first.asked.scope.fresh();
  void Promise.allSettled(readers.map(({ found }) => found)).then(() => scope.close());
  try {
    const response = await first.asked.send(scope);
    response.parse();
    scope.close(); // each reader holds the bytes itself
    for (const reader of readers) reader.settle(reader === first ? response : response.copy("shared"));
  } catch (error) {
    for (const reader of readers) reader.settle(error as CodedError);
  }
}
