/**
 * Bounds the requests that are executed at the same time while the event loop is busy. More of them would not be
 * answered sooner. They would only live longer, and objects that live through two collections of the young generation
 * cost several times as much to collect. While the event loop has time to spare, the executed requests wait for REST,
 * and more requests start. Callers alternate. A request that waits for its caller's share of the processor is not
 * executed meanwhile, and frees its place: otherwise callers in debt would hold all places.
 *
 * Node accepts one connection per tick of the event loop, so a burst of connections waits for as many ticks. Few requests
 * start in a tick that accepted one.
 */
import { performance } from "node:perf_hooks";
import { executedAtOnce } from "../settings/capacity.ts";
import { TickBatch } from "../tick-batch.ts";
import type { Caller } from "./caller.ts";
import { callerTurns, type QueueEntry } from "./fair-queue.ts";
import { SharedQuota } from "./shared-quota.ts";

/** Starts in a tick that accepted a connection: more connections may wait behind that one. */
const mostWhileConnecting = 2;

/** The event loop is busy when it works this part of its time. It is measured over this many ms at least. */
const busy = 0.9;

const lookEveryMs = 2;

/** A request in the queue: it waits, is executed, and leaves. */
export class QueuePlace implements QueueEntry<Caller> {
  readonly owner: Caller;
  readonly #begin: () => void;
  readonly #queue: StartQueue;
  #state: "waiting" | "executing" | "left" = "waiting";
  /** Waits of the request for its caller's share. It has several calls under way. */
  #pauses = 0;

  constructor(owner: Caller, begin: () => void, queue: StartQueue) {
    this.owner = owner;
    this.#begin = begin;
    this.#queue = queue;
  }

  /** Takes the place. The request is executed at the end of the tick, together with the others that start in it. */
  begin(): void {
    this.#state = "executing";
    starts.add(this);
  }

  /** Executes the request, unless it has left since `begin`. */
  execute(): void {
    if (this.#state === "executing") this.#begin();
  }

  /** Frees the place until as many calls of `resume` as of `pause` have come. */
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

  /** Frees the place. A request that waits never starts. Only the first call counts. */
  leave(): void {
    if (this.#state === "waiting") this.#queue.cancel(this);
    else if (this.#isExecuting) this.#queue.free(this.owner);
    this.#state = "left";
  }
}

const starts = new TickBatch<QueuePlace>((place) => place.execute());

export class StartQueue {
  readonly executing = new SharedQuota(executedAtOnce);
  readonly #waiting = callerTurns();
  /** Starts in this tick, if it accepted a connection. */
  #started = 0;
  #isConnecting = false;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  /** Starts beyond the bound, because the event loop had time to spare. */
  #spare = 0;
  #lookedAt = 0;
  #utilization = performance.eventLoopUtilization();

  connected(): void {
    if (!this.#isConnecting) this.#started = 0;
    this.#isConnecting = true;
    this.#schedule();
  }

  /** A place for a request that has not entered yet. */
  place(caller: Caller, begin: () => void): QueuePlace {
    return new QueuePlace(caller, begin, this);
  }

  /** The request starts at the end of this tick or of a later one, unless it leaves before. */
  enter(place: QueuePlace): void {
    if (this.#waiting.size === 0 && this.#mayStart(place.owner)) return place.begin();
    this.#waiting.wait(place);
    this.#schedule();
  }

  /** The request no longer waits for a start. */
  cancel(place: QueuePlace): void {
    this.#waiting.leave(place);
  }

  /** A request of the caller is no longer executed, or is paused. */
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
    if (now - this.#lookedAt >= lookEveryMs) {
      const { utilization } = performance.eventLoopUtilization(this.#utilization);
      this.#spare = utilization < busy ? executedAtOnce : 0;
      this.#utilization = performance.eventLoopUtilization();
      this.#lookedAt = now;
    }
    return this.#spare > 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    clearTimeout(this.#timer);
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#started = 0;
    const mayAny = (): boolean => this.executing.held < executedAtOnce || this.#hasSpare();
    while (this.#waiting.size > 0 && mayAny() && this.#waiting.next((caller) => this.#mayStart(caller)));
    starts.flush();
    if (this.#isConnecting && this.#waiting.size > 0) this.#schedule();
    else if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#schedule(), lookEveryMs);
    this.#isConnecting = false;
  }
}
