/**
 * One question of one caller: its executions, and the requests that wait for the next one.
 *
 * Requests that wait have no place in the start queue. When the wait is over, the question itself enters the queue, as one
 * request of its caller. At its turn the first request that still waits gets the place and is executed, and the others read
 * its answer. So no request waits for one that waits itself, and a client that leaves takes no place with it. A request that
 * asks meanwhile has a place already: it is executed at once, for all that wait, and the question leaves the queue.
 */
import type { FastifyRequest } from "fastify";
import type { RequestScope } from "../../rest/request-scope.ts";
import { pauseBehind } from "../../rest/upstream/shared-reads.ts";
import type { StartQueue } from "../start-queue.ts";
import { Answer } from "./answer.ts";

/** What an execution comes to. `undefined`: its client has left. */
type Outcome = Answer | Error | undefined;

/** A request that waits for an identical one. */
type Waiting = {
  readonly request: FastifyRequest;
  readonly settle: (found: Answer | Execution | Error) => void;
  hasLeft: boolean;
};

/** The execution of a request. Whoever gets one must end it. */
export class Execution {
  /**
   * Whether the operation is a query. It is known once the operation is parsed, or if the same question was a query
   * before. No request waits for the end of a mutation.
   */
  isQuery: boolean;
  readonly beganAt = performance.now();
  readonly #onEnd: (outcome: Outcome, execution: Execution) => void;
  #hasEnded = false;

  constructor(isQuery: boolean, onEnd: (outcome: Outcome, execution: Execution) => void) {
    this.isQuery = isQuery;
    this.#onEnd = onEnd;
  }

  /** Ends it. Without an outcome, the first of its readers is executed next. Only the first call counts. */
  end(outcome?: Outcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd(outcome, this);
  }
}

/** What a question is part of. */
type Owner = {
  ended(execution: Execution, answer: Answer | undefined): void;
  /** No execution of the question is under way, and no request waits for one. */
  forget(): void;
};

export class Question {
  readonly #starts: StartQueue;
  readonly #wasQuery: boolean;
  readonly #owner: Owner;
  #last: Execution | undefined;
  #underWay = 0;
  /** The requests that wait for the next execution, the oldest first. */
  #waiting: Waiting[] = [];
  /** Runs while they wait for the end of an execution. */
  #timer: NodeJS.Timeout | undefined;
  /** Stands in the start queue for them after that. */
  #place: FastifyRequest["place"] | undefined;

  /** `wasQuery`: whether the same question was a query before. */
  constructor(starts: StartQueue, wasQuery: boolean, owner: Owner) {
    this.#starts = starts;
    this.#wasQuery = wasQuery;
    this.#owner = owner;
  }

  /** The execution of a request that has a place, or what the request gets after a wait without one. */
  ask(request: FastifyRequest, scope: RequestScope): Execution | Promise<Answer | Execution> {
    const last = this.#last;
    if (!last?.isQuery || this.#place || this.waitMs <= 0) return this.#begin();
    request.place.leave();
    return this.#wait(request, scope);
  }

  /** Milliseconds for which the next execution has to wait, unless one ends before. */
  get waitMs(): number {
    return this.#last && this.#underWay > 0 ? pauseBehind(this.#underWay, this.#last.beganAt) : 0;
  }

  /** Begins an execution. The requests that wait get its answer. */
  #begin(): Execution {
    const readers = this.#waiting;
    this.#waiting = [];
    this.#underWay++;
    const isQuery = this.#last?.isQuery ?? this.#wasQuery;
    this.#last = new Execution(isQuery, (outcome, execution) => this.#end(execution, readers, outcome));
    this.#proceed();
    return this.#last;
  }

  #end(execution: Execution, readers: readonly Waiting[], outcome: Outcome): void {
    this.#underWay--;
    this.#owner.ended(execution, outcome instanceof Answer ? outcome : undefined);
    if (!outcome) this.#waiting.unshift(...readers.filter(({ hasLeft }) => !hasLeft));
    else for (const reader of readers) reader.settle(outcome);
    if (this.#waiting.length > 0 && !this.#place) this.#enter();
    else this.#proceed();
  }

  #wait(request: FastifyRequest, scope: RequestScope): Promise<Answer | Execution> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | Execution>();
    const leave = (failure: Error): void => {
      waiting.hasLeft = true;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.settle(failure);
      this.#proceed();
    };
    const waiting: Waiting = {
      request,
      settle: (found) => {
        scope.ended(leave);
        if (found instanceof Error) reject(found);
        else resolve(found);
      },
      hasLeft: false,
    };
    scope.onLeave(leave);
    this.#waiting.push(waiting);
    this.#proceed();
    return promise;
  }

  /** Brings the requests that wait one step on, or stops what was begun for them. */
  #proceed(): void {
    if (this.#waiting.length === 0) {
      this.#stopTimer();
      this.#place?.leave();
      this.#place = undefined;
      if (this.#underWay === 0) this.#owner.forget();
    } else if (!this.#timer && !this.#place) {
      this.#timer = setTimeout(() => this.#enter(), Math.max(this.waitMs, 0));
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Enters the start queue, in the name of the oldest request. At its turn, the oldest that is left is executed. */
  #enter(): void {
    this.#stopTimer();
    const oldest = this.#waiting[0] as Waiting;
    const place = this.#starts.place(oldest.request.caller, () => {
      const first = this.#waiting.shift() as Waiting;
      first.request.place = place;
      this.#place = undefined;
      first.settle(this.#begin());
    });
    this.#place = place;
    this.#starts.enter(place);
  }
}
