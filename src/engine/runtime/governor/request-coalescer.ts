/**
 * Coalesces identical work of one caller: requests that wait at the same time share one execution.
 *
 * A request never joins an execution in flight, because its data may be older than a write that the request's client
 * knows of. A request therefore sees every write that completed before it was sent, even a write through another replica.
 *
 * A request waits until an identical execution ends, but at most `pauseMs` times the number of identical executions in flight,
 * counted from the start of the latest. New executions therefore start less and less often if executions hang. The result of an
 * execution goes to the requests that were waiting when it began. A client that disconnects does not affect the other requests.
 */

/**
 * Milliseconds to wait for each identical execution in flight. Measured with a REST API that takes 30 ms: two viewers of one
 * dashboard got the response after 37 ms, like a single viewer; with a fixed wait of 50 ms, they got it after 51 ms.
 */
export const pauseMs = 20;

type Leave = (failure: Error) => void;
/** `onLeave` registers a callback for the client's disconnect; `ended` removes it. */
type Scope = { onLeave(leave: Leave): void; ended(leave: Leave): void };

export type Waiter<Request, Result> = {
  readonly request: Request;
  readonly result: Promise<Result>;
  readonly leave: Leave;
  settle(outcome: Result | Error): void;
  hasLeft: boolean;
};

export class RequestCoalescer<Request extends { readonly scope: Scope }, Result> {
  readonly #next: () => void;
  readonly #idle: (isInFlight: boolean) => unknown;
  #inFlight = 0;
  #beganAt = 0;
  /** Oldest first. */
  #waiting: Waiter<Request, Result>[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `next` is called to execute the waiting requests, `idle` when no request is waiting. */
  constructor(next: () => void, idle: (isInFlight: boolean) => unknown) {
    this.#next = next;
    this.#idle = idle;
  }

  /** Milliseconds until the next execution can begin. It begins earlier if one in flight ends. */
  get waitMs(): number {
    return this.#inFlight > 0 ? this.#beganAt + pauseMs * this.#inFlight - performance.now() : 0;
  }

  get oldest(): Waiter<Request, Result> | undefined {
    return this.#waiting[0];
  }

  wait(request: Request): Waiter<Request, Result> {
    const { promise: result, resolve, reject } = Promise.withResolvers<Result>();
    const leave: Leave = (failure) => {
      waiter.hasLeft = true;
      waiter.settle(failure);
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      this.#proceed();
    };
    const settle = (outcome: Result | Error): void => {
      request.scope.ended(leave);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const waiter = { request, result, leave, settle, hasLeft: false };
    request.scope.onLeave(leave);
    this.#waiting.push(waiter);
    this.#timer ??= setTimeout(() => this.#proceed(true), Math.max(this.waitMs, 0));
    return waiter;
  }

  /** Counts a new execution as in flight. Returns the waiting requests, which share its result. */
  begin(): Waiter<Request, Result>[] {
    this.#inFlight++;
    this.#beganAt = performance.now();
    return this.take();
  }

  /** Removes and returns all waiting requests. The calling code must settle each of them. */
  take(): Waiter<Request, Result>[] {
    const waiters = this.#waiting;
    this.#waiting = [];
    this.#proceed();
    return waiters;
  }

  /** Ends an execution and settles its `waiters` with the outcome. If it is undefined, they wait for the next execution. */
  end(waiters: readonly Waiter<Request, Result>[], outcome?: Result | Error): void {
    this.#inFlight--;
    const present = waiters.filter(({ hasLeft }) => !hasLeft);
    if (outcome === undefined) this.#waiting.unshift(...present);
    else for (const waiter of present) waiter.settle(outcome);
    this.#proceed(true);
  }

  #proceed(isOver = false): void {
    const isWaiting = this.#waiting.length > 0;
    if (isWaiting && !isOver) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isWaiting) this.#next();
    else this.#idle(this.#inFlight > 0);
  }
}
