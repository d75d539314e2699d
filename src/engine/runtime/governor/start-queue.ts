/**
 * Limits the requests that are executed concurrently while the event loop is busy. A higher limit would complete no request
 * sooner. Objects would only live longer, and objects that survive two collections of the young generation cost
 * several times as much to collect. If the event loop is idle, the executing requests wait for REST, so more requests start.
 *
 * The queue serves callers round robin. A request frees its place while it waits for its caller's share of the processor, so
 * callers in debt cannot occupy all places.
 *
 * Node accepts one connection per tick of the event loop, so a burst of n connections takes n ticks. To keep them short, few
 * requests start in a tick that accepted a connection.
 */
import { performance } from "node:perf_hooks";
import { executedAtOnce } from "../settings/capacity.ts";
import { TickBatch } from "../tick-batch.ts";
import type { Caller } from "./caller.ts";
import { createCallerQueue, type QueueEntry } from "./fair-queue.ts";
import { SharedQuota } from "./shared-quota.ts";

/** Maximum number of requests to start in a tick that accepted a connection. */
const mostWhileConnecting = 2;

/** Utilization from which the event loop counts as busy, measured over at least `measureEveryMs`. */
const busy = 0.9;

const measureEveryMs = 2;

/** A request's place, first in the queue and then among the executing requests. */
export class QueuePlace implements QueueEntry<Caller> {
  readonly owner: Caller;
  readonly #begin: () => void;
  readonly #queue: StartQueue;
  #state: "waiting" | "executing" | "left" = "waiting";
  /** Number of current waits for the caller's share of the processor: several REST calls of a request can wait at once. */
  #pauses = 0;

  constructor(owner: Caller, begin: () => void, queue: StartQueue) {
    this.owner = owner;
    this.#begin = begin;
    this.#queue = queue;
  }

  /** The request is executed at the end of the tick, together with the others that start in this tick. */
  begin(): void {
    this.#state = "executing";
    starts.add(this);
  }

  /** Executes the request, unless `leave` has been called since `begin`. */
  execute(): void {
    if (this.#state === "executing") this.#begin();
  }

  /** Frees the place until `resume` has been called for each `pause`. */
  pause(): void {
    if (this.#isExecuting) this.#queue.free(this.owner);
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    if (this.#isExecuting) this.#queue.executing.add(this.owner, 1);
  }

  get #isExecuting(): boolean {
    return this.#state === "executing" && this.#pauses === 0;
  }

  /** Frees the place. If the request is still queued, it never starts. Later calls have no effect. */
  leave(): void {
    if (this.#state === "waiting") this.#queue.cancel(this);
    else if (this.#isExecuting) this.#queue.free(this.owner);
    this.#state = "left";
  }
}

const starts = new TickBatch<QueuePlace>((place) => place.execute());

export class StartQueue {
  readonly executing = new SharedQuota(executedAtOnce);
  readonly #waiting = createCallerQueue();
  /** Number of requests that have started in this tick. Used only in a tick that accepted a connection. */
  #started = 0;
  #isConnecting = false;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  /** How many more requests may exceed the limit: the event loop had idle time when last measured. */
  #spare = 0;
  #measuredAt = 0;
  #utilization = performance.eventLoopUtilization();

  connected(): void {
    if (!this.#isConnecting) this.#started = 0;
    this.#isConnecting = true;
    this.#schedule();
  }

  /** Creates a place for a request. The place is in no queue until it is passed to `enter`. */
  place(caller: Caller, begin: () => void): QueuePlace {
    return new QueuePlace(caller, begin, this);
  }

  /** Queues a request, which starts at the end of this tick or of a later one. */
  enter(place: QueuePlace): void {
    if (this.#waiting.size === 0 && this.#mayStart(place.owner)) return place.begin();
    this.#waiting.wait(place);
    this.#schedule();
  }

  cancel(place: QueuePlace): void {
    this.#waiting.leave(place);
  }

  /** Called when an executing request of the caller leaves or is paused. */
  free(caller: Caller): void {
    this.executing.giveBack(caller, 1);
    if (this.#waiting.size > 0) this.#schedule();
  }

  #mayStart(caller: Caller): boolean {
    if (this.#isConnecting && this.#started >= mostWhileConnecting) return false;
    if (this.executing.take(caller, 1)) {
      if (!this.#hasSpare()) return false;
      this.#spare--;
      this.executing.add(caller, 1);
    }
    this.#started++;
    return true;
  }

  #hasSpare(): boolean {
    const now = performance.now();
    if (now - this.#measuredAt >= measureEveryMs) {
      const { utilization } = performance.eventLoopUtilization(this.#utilization);
      this.#spare = utilization < busy ? executedAtOnce : 0;
      this.#utilization = performance.eventLoopUtilization();
      this.#measuredAt = now;
    }
    return this.#spare > 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    clearTimeout(this.#timer);
    setImmediate(() => this.#startNext());
  }

  #startNext(): void {
    this.#isScheduled = false;
    this.#started = 0;
    const mayStartAny = (): boolean => this.executing.used < executedAtOnce || this.#hasSpare();
    while (this.#waiting.size > 0 && mayStartAny() && this.#waiting.next((caller) => this.#mayStart(caller)));
    starts.flush();
    if (this.#isConnecting && this.#waiting.size > 0) this.#schedule();
    else if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#schedule(), measureEveryMs);
    this.#isConnecting = false;
  }
}
