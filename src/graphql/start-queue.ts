/**
 * Bounds the requests that start in one turn of the event loop, so that requests under way finish before more start.
 * Requests that start together hold their REST responses together, and the responses then outlive the garbage collector's
 * young generation. Node accepts one connection a turn, so a burst of connections waits for as many turns. An idle event
 * loop takes its next turn at once.
 */
import type { FastifyInstance } from "fastify";

const mostStarts = 16;
/** The bound for a turn that accepted a connection: more connections may wait behind that one. */
const mostWhileConnecting = 2;

export class StartQueue {
  readonly #waiting: (() => void)[] = [];
  #started = 0;
  #isConnecting = false;
  #isScheduled = false;

  connected(): void {
    this.#isConnecting = true;
    this.#schedule();
  }

  /** Calls `run` now or in a later turn. The order of the calls to `start` is kept. */
  start(run: () => void): void {
    this.#schedule();
    if (this.#waiting.length > 0 || this.#started >= this.#most()) return void this.#waiting.push(run);
    this.#started++;
    run();
  }

  #most(): number {
    return this.#isConnecting ? mostWhileConnecting : mostStarts;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    const next = this.#waiting.splice(0, this.#most());
    this.#started = next.length;
    this.#isConnecting = false;
    if (next.length > 0) this.#schedule();
    for (const run of next) run();
  }
}

/** Applies to the routes that `server` registers afterwards. A request whose client leaves the queue never starts. */
export function limitStarts(server: FastifyInstance): void {
  const queue = new StartQueue();
  server.server.on("connection", () => queue.connected());
  server.addHook("preHandler", (_request, reply, done) =>
    queue.start(() => {
      if (!reply.raw.destroyed) done();
    }),
  );
}
