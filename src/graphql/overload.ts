/**
 * Too much at once is refused early, so that what is taken is answered: a bound on the requests under way, and a look
 * at how late the event loop is. Only lateness that lasts counts, which one long pause does not make. (The histogram of
 * `perf_hooks` takes its samples between long turns of the loop, and so has none when there are nothing but long turns.)
 */
import type { FastifyInstance } from "fastify";
import { CodedError } from "../errors.ts";

/** Milliseconds of event-loop delay, how often it is looked at, and how often in a row it has to be too much. */
const maxDelayMs = 300;
const lookEveryMs = 100;
const looks = 3;

/** Applies to the routes that `server` registers after it; health stays answered. */
export function shedOverload(server: FastifyInstance, maxRequests: number): void {
  let underWay = 0;
  let late = 0;
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    late = now - lookedAt - lookEveryMs > maxDelayMs ? late + 1 : 0;
    lookedAt = now;
  }, lookEveryMs).unref();
  server.addHook("onClose", async () => clearInterval(timer));
  server.addHook("onRequest", (_request, reply, done) => {
    if (late >= looks || underWay >= maxRequests) return done(overloaded());
    underWay++;
    reply.raw.once("close", () => underWay--);
    done();
  });
}

const overloaded = (): CodedError =>
  new CodedError("SERVICE_UNAVAILABLE", "too much to do at once; try again", { retryAfter: 1 });
