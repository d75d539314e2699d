/**
 * Coalesces identical queries of one caller.
 *
 * A request that waits for an identical query (`RequestCoalescer`) has no place in the start queue. If the wait ends without a
 * response, all waiting requests get one common place in the queue. When this place reaches the front, the oldest request is
 * executed, and the others get its response. A request therefore never waits for another waiting request, and if a client
 * disconnects, the other requests keep the common place.
 *
 * A request that arrives while the common place is queued has already waited in the start queue at its own place. This request is
 * therefore executed at once. Its response goes to all waiting requests, and their common place leaves the queue.
 */
import { RequestCoalescer, type Waiter } from "../../governor/request-coalescer.ts";
import type { QueuePlace, StartQueue } from "../../governor/start-queue.ts";
import type { RequestScope } from "../../rest/request-scope.ts";
import type { Admission } from "../admission.ts";
import { SharedResponse } from "./shared-response.ts";

/** The result of an execution; undefined if the client of the executed request has disconnected. */
type Outcome = SharedResponse | Error | undefined;

type Query = { readonly admission: Admission; readonly scope: RequestScope };
type Waiting = Waiter<Query, SharedResponse | QueryExecution>;

/** The execution of a request. The code that gets a `QueryExecution` must execute the request and then call `end`. */
export class QueryExecution {
  /**
   * Whether the operation is a query. This is known when the operation is parsed, or earlier if an identical operation was a
   * query before. Until then, the value is `false`, so that no request waits for a mutation.
   */
  isQuery: boolean;
  readonly beganAt = performance.now();
  /** Without an outcome, the oldest waiting request is executed next. Later calls have no effect. */
  readonly end: (outcome?: Outcome) => void;

  constructor(isQuery: boolean, onEnd: (outcome: Outcome, execution: QueryExecution) => void) {
    this.isQuery = isQuery;
    this.end = (outcome) => {
      onEnd(outcome, this);
      onEnd = () => {};
    };
  }
}

type Listener = {
  ended(execution: QueryExecution, response: SharedResponse | undefined): void;
  /** Called when no execution is in flight and no request waits for one. */
  idle(): void;
};

export class CoalescedQuery {
  readonly #starts: StartQueue;
  readonly #wasQuery: boolean;
  readonly #listener: Listener;
  readonly #requests: RequestCoalescer<Query, SharedResponse | QueryExecution>;
  #last: QueryExecution | undefined;
  /** The common place in the start queue of all requests that still wait without a response. */
  #place: QueuePlace | undefined;

  /** `wasQuery`: whether an identical operation was a query before. */
  constructor(starts: StartQueue, wasQuery: boolean, listener: Listener) {
    this.#starts = starts;
    this.#wasQuery = wasQuery;
    this.#listener = listener;
    this.#requests = new RequestCoalescer(
      () => this.#enter(),
      (isInFlight) => {
        this.#place?.leave();
        this.#place = undefined;
        if (!isInFlight) listener.idle();
      },
    );
  }

  /**
   * Returns an execution if the request must be executed now. Otherwise the request gives up its place in the start queue, and
   * a promise is returned. The promise resolves with the response of an identical request, or with an execution if this request
   * must be executed after all.
   */
  request(
    admission: Admission,
    scope: RequestScope,
  ): QueryExecution | Promise<SharedResponse | QueryExecution> {
    if (!this.#last?.isQuery || this.#place || this.#requests.waitMs <= 0)
      return this.#execution(this.#requests.begin());
    admission.place?.leave();
    return this.#requests.wait({ admission, scope }).result;
  }

  /** Begins an execution. Its response also goes to the `waiting` requests. */
  #execution(waiting: readonly Waiting[]): QueryExecution {
    this.#last = new QueryExecution(this.#last?.isQuery ?? this.#wasQuery, (outcome, execution) => {
      this.#listener.ended(execution, outcome instanceof SharedResponse ? outcome : undefined);
      this.#requests.end(waiting, outcome);
    });
    return this.#last;
  }

  /** Enters the start queue with a common place. When it reaches the front, the oldest waiting request is executed. */
  #enter(): void {
    if (this.#place) return;
    const { caller } = (this.#requests.oldest as Waiting).request.admission;
    const place = this.#starts.place(caller, () => {
      this.#place = undefined;
      const [first, ...others] = this.#requests.begin() as [Waiting];
      first.request.admission.place = place;
      first.settle(this.#execution(others));
    });
    this.#place = place;
    this.#starts.enter(place);
  }
}
