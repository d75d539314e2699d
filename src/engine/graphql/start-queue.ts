/**
 * Bounds the requests that are executed at the same time while the event loop is busy. More of them would not be
 * answered sooner. They would only live longer, and objects that live through two collections of the young generation
 * cost several times as much to collect. While the event loop has time to spare, the executed requests wait for REST,
 * and more requests start.
 *
 * Node accepts one connection a turn of the event loop, so a burst of connections waits for as many turns. Few requests
 * start in such a turn.
 */
import { performance } from "node:perf_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { FairBound } from "../rest/shares/fair-bound.ts";
import { executedAtOnce } from "../settings/capacity.ts";
import { endOfTurn } from "./end-of-turn.ts";

/** Starts in a turn that accepted a connection: more connections may wait behind that one. */
const mostWhileConnecting = 2;
/** The event loop is busy when it works this part of its time. It is measured over this many ms at least. */
const busy = 0.9;
const lookEveryMs = 2;

/** The place of a request: it waits in the queue, is executed, and leaves. */
class QueuePlace {
  readonly caller: string;
  readonly #begin: () => void;
  readonly #end: (caller: string) => void;
  #state: "waiting" | "executing" | "left" = "waiting";

  constructor(caller: string, begin: () => void, end: (caller: string) => void) {
    this.caller = caller;
    this.#begin = begin;
    this.#end = end;
  }

  get hasLeft(): boolean {
    return this.#state === "left";
  }

  start(): void {
    this.#state = "executing";
    this.#begin();
  }

  /** Frees the place. A request that waits never starts. Only the first call counts. */
  leave(): void {
    const wasExecuting = this.#state === "executing";
    this.#state = "left";
    if (wasExecuting) this.#end(this.caller);
  }

  /** Frees the place, so that another request starts in this turn. Resolves at the end of the turn. */
  leaveThisTurn(): Promise<void> {
    const turn = endOfTurn();
    this.leave();
    return turn;
  }
}

export class StartQueue {
  readonly #executing = new FairBound();
  readonly #waiting: QueuePlace[] = [];
  /** Starts in this turn, if it accepted a connection. */
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
  place(caller: string, begin: () => void): QueuePlace {
    return new QueuePlace(caller, begin, this.#end);
  }

  /** The request starts now or in a later turn, unless it leaves before. */
  enter(place: QueuePlace): void {
    if (this.#waiting.length === 0 && this.#mayStart(place.caller)) return place.start();
    this.#waiting.push(place);
    this.#schedule();
  }

  readonly #end = (caller: string): void => {
    this.#executing.giveBack(caller, 1);
    if (this.#waiting.length > 0) this.#schedule();
  };

  #mayStart(caller: string): boolean {
    if (this.#isConnecting && this.#started >= mostWhileConnecting) return false;
    if (!this.#executing.take(caller, 1, executedAtOnce)) {
      if (!this.#hasSpare()) return false;
      this.#spare--;
      this.#executing.take(caller, 1, Number.POSITIVE_INFINITY);
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

  /** Starts what may start, in the order of `enter`. A caller with many requests holds up no other. */
  #turn(): void {
    this.#isScheduled = false;
    this.#started = 0;
    for (let index = 0; index < this.#waiting.length; ) {
      const place = this.#waiting[index] as QueuePlace;
      if (place.hasLeft) this.#waiting.splice(index, 1);
      else if (this.#mayStart(place.caller)) {
        this.#waiting.splice(index, 1);
        place.start();
      } else if (this.#executing.has(place.caller)) index++;
      else break; // nobody has a better claim than a caller without a request under way
    }
    if (this.#isConnecting && this.#waiting.length > 0) this.#schedule();
    else if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#schedule(), lookEveryMs);
    this.#isConnecting = false;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Its place; another one if it has waited for an identical query, and is executed itself after that. */
    place: QueuePlace;
  }
}

/**
 * Applies to the routes that `server` registers afterwards. Little is made for a request while it waits: objects that
 * are added to a request after a long wait stay in memory until the next full collection.
 */
export function limitStarts(
  server: FastifyInstance,
  queue: StartQueue,
  callerOf: (request: FastifyRequest) => string,
): void {
  server.decorateRequest("place");
  server.server.on("connection", () => queue.connected());
  server.addHook("preHandler", (request, reply, done) => {
    request.place = queue.place(callerOf(request), done);
    reply.raw.on("close", () => request.place.leave());
    queue.enter(request.place);
  });
}
