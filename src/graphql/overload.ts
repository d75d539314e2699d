/**
 * Too much at once is refused early, so that what is taken is answered: a bound on the requests under way, and a look
 * at how late the event loop is. The delay's median is taken, which one long pause does not move.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance } from "fastify";
import { CodedError } from "../errors.ts";

/** Milliseconds of event-loop delay, and how often it is looked at. */
const maxDelayMs = 500;
const lookEveryMs = 500;

/** Applies to the routes that `server` registers after it; health stays answered. */
export function shedOverload(server: FastifyInstance, maxRequests: number): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  let underWay = 0;
  let isLate = false;
  delay.enable();
  const timer = setInterval(() => {
    isLate = delay.percentile(50) / 1e6 > maxDelayMs;
    delay.reset();
  }, lookEveryMs).unref();
  server.addHook("onClose", async () => clearInterval(timer));
  server.addHook("onRequest", (_request, reply, done) => {
    if (isLate || underWay >= maxRequests) return done(overloaded());
    underWay++;
    reply.raw.once("close", () => underWay--);
    done();
  });
}

const overloaded = (): CodedError =>
  new CodedError("SERVICE_UNAVAILABLE", "too much to do at once; try again", { retryAfter: 1 });
