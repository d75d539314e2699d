/**
 * One question of one caller: its executions, and the requests that wait for the next one.
 *
 * Requests that wait have no place in the start queue. When the wait is over, the question itself enters the queue, as one
 * request of its caller. At its turn the first request that still waits gets the place and is executed, and the others read
 * its answer. So no request waits for one that waits itself, and a client that leaves takes no place with it. A request that
 * asks meanwhile has a place already: it is executed at once, for all that wait, and the question leaves the queue.
 */
import { type Reader, RequestCoalescer } from "../../governor/request-coalescer.ts";
import type { QueuePlace, StartQueue } from "../../governor/start-queue.ts";
import type { RequestScope } from "../../rest/request-scope.ts";
import type { Admission } from "../admission.ts";
import { SharedResponse } from "./shared-response.ts";

/** What an execution comes to. `undefined`: its client has left. */
type Outcome = SharedResponse | Error | undefined;

type Asked = { readonly admission: Admission; readonly scope: RequestScope };
type Waiting = Reader<Asked, SharedResponse | QueryExecution>;

/** The execution of a request. It must be ended. */
export class QueryExecution {
  /**
   * Whether the operation is a query. It is known once the operation is parsed, or if the same question was a query
   * before. No request waits for the end of a mutation.
   */
  isQuery: boolean;
  readonly beganAt = performance.now();
  /** Without an outcome, the first of its readers is executed next. Only the first call counts. */
  readonly end: (outcome?: Outcome) => void;

  constructor(isQuery: boolean, onEnd: (outcome: Outcome, execution: QueryExecution) => void) {
    this.isQuery = isQuery;
    this.end = (outcome) => {
      onEnd(outcome, this);
      onEnd = () => {};
    };
  }
}

/** What a question is part of. */
type Owner = {
  ended(execution: QueryExecution, answer: SharedResponse | undefined): void;
  /** No execution of the question is under way, and no request waits for one. */
  forget(): void;
};

export class CoalescedQuery {
  readonly #starts: StartQueue;
  readonly #wasQuery: boolean;
  readonly #owner: Owner;
  readonly #requests: RequestCoalescer<Asked, SharedResponse | QueryExecution>;
  #last: QueryExecution | undefined;
  /** Represents the requests whose wait is over in the start queue. */
  #place: QueuePlace | undefined;

  /** `wasQuery`: whether the same question was a query before. */
  constructor(starts: StartQueue, wasQuery: boolean, owner: Owner) {
    this.#starts = starts;
    this.#wasQuery = wasQuery;
    this.#owner = owner;
    this.#requests = new RequestCoalescer(
      () => this.#enter(),
      (isUnderWay) => {
        this.#place?.leave();
        this.#place = undefined;
        if (!isUnderWay) owner.forget();
      },
    );
  }

  /** The execution of a request that has a place, or what the request gets after a wait without one. */
  ask(admission: Admission, scope: RequestScope): QueryExecution | Promise<SharedResponse | QueryExecution> {
    if (!this.#last?.isQuery || this.#place || this.#requests.waitMs <= 0)
      return this.#execution(this.#requests.begin());
    admission.place?.leave();
    return this.#requests.wait({ admission, scope }).found;
  }

  /** An execution that begins. The readers get its answer. */
  #execution(readers: readonly Waiting[]): QueryExecution {
    this.#last = new QueryExecution(this.#last?.isQuery ?? this.#wasQuery, (outcome, execution) => {
      this.#owner.ended(execution, outcome instanceof SharedResponse ? outcome : undefined);
      this.#requests.end(readers, outcome);
    });
    return this.#last;
  }

  /** Enters the start queue for the oldest request. When it starts, the oldest request that is left is executed. */
  #enter(): void {
    if (this.#place) return;
    const { caller } = (this.#requests.oldest as Waiting).asked.admission;
    const place = this.#starts.place(caller, () => {
      this.#place = undefined;
      const [first, ...others] = this.#requests.begin() as [Waiting];
      first.asked.admission.place = place;
      first.settle(this.#execution(others));
    });
    this.#place = place;
    this.#starts.enter(place);
  }
}
