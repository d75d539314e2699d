/**
 * Few requests begin in one turn of the event loop, so that those that are under way go on, and end, before more begin.
 * Many that begin at once hold their REST answers at once, which outlive the garbage collector's young generation then;
 * and because Node accepts one connection a turn, a burst of them waits for as many turns. A loop that has nothing else
 * to do takes its next turn at once.
 */
import type { FastifyInstance } from "fastify";

const mostStarts = 16;
/** In a turn in which a connection comes: others may wait behind it. */
const mostWhileConnecting = 2;

export class Pace {
  readonly #waiting: (() => void)[] = [];
  #started = 0;
  #isConnecting = false;
  #isScheduled = false;

  /** A connection has come. */
  connected(): void {
    this.#isConnecting = true;
    this.#schedule();
  }

  /** Begins now, or in one of the next turns, in the order of asking. */
  start(begin: () => void): void {
    this.#schedule();
    if (this.#waiting.length > 0 || this.#started >= this.#most()) return void this.#waiting.push(begin);
    this.#started++;
    begin();
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
    const begun = this.#waiting.splice(0, this.#most());
    this.#started = begun.length;
    this.#isConnecting = false;
    if (begun.length > 0) this.#schedule();
    for (const begin of begun) begin();
  }
}

/** Paces the routes that `server` registers after it; who leaves while waiting does not begin. */
export function paceRequests(server: FastifyInstance): void {
  const pace = new Pace();
  server.server.on("connection", () => pace.connected());
  server.addHook("preHandler", (_request, reply, done) =>
    pace.start(() => {
      if (!reply.raw.destroyed) done();
    }),
  );
}
