/**
 * Too much at once is refused early, so that what is taken is answered soon. Three bounds on the requests under way: a
 * fixed one; while the event loop has no idle time left, as many as it finishes in half a second (Little's law: more
 * would only wait longer); and none more while it stays late, which one long pause does not make it. (The histogram of
 * `perf_hooks` takes its samples between long turns of the loop, and has none when there are nothing but long turns.)
 */
import { performance } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply } from "fastify";
import { CodedError } from "../errors.ts";
import { sendProblem } from "../http/server.ts";

const lookEveryMs = 100;
/** How late the loop may be, in ms, and for how many looks in a row. */
const maxDelayMs = 200;
const lateLooks = 3;
/** The part of its time that a busy loop works, for how many looks in a row, and the seconds of work it may have then. */
const busy = 0.95;
const busyLooks = 5;
const maxBacklogSeconds = 0.5;
/** Fewer requests than this are no overload, however long one of them takes. */
const fewRequests = 64;
/** Answers of this many bytes and more wait for their clients in so much memory at most; smaller ones pass. */
const largeAnswer = 1_048_576;
const maxUnreadBytes = 128 * largeAnswer;

/** Applies to the routes that `server` registers after it; health stays answered. */
export function shedOverload(server: FastifyInstance, maxRequests: number): void {
  const loop = watchLoop(maxRequests);
  let underWay = 0;
  let refused = 0;
  let unreadBytes = 0;
  const tell = setInterval(() => {
    if (refused > 0) server.log.warn({ refused }, "overload: requests refused in the last second");
    refused = 0;
  }, 1_000).unref();
  server.addHook("onClose", async () => {
    clearInterval(tell);
    loop.stop();
  });
  const isFull = (reply: FastifyReply): boolean => {
    if (underWay < loop.bound()) return false;
    refused++;
    sendProblem(reply, overloaded); // past the error handler: a line in the log for each would be more load
    return true;
  };
  server.addHook("onRequest", (_request, reply, done) => {
    if (!isFull(reply)) done();
  });
  // counted when its body is there: one that is slow to send it keeps nobody else from being served
  server.addHook("preHandler", (_request, reply, done) => {
    if (isFull(reply)) return;
    underWay++;
    reply.raw.on("close", () => {
      underWay--;
      loop.finished();
    });
    done();
  });
  server.addHook("onSend", (_request, reply, payload, done) => {
    const bytes = typeof payload === "string" ? payload.length : 0;
    if (bytes < largeAnswer) return done(null, payload);
    if (unreadBytes + bytes > maxUnreadBytes) return done(overloaded);
    unreadBytes += bytes;
    reply.raw.on("close", () => {
      unreadBytes -= bytes;
    });
    done(null, payload);
  });
}

const overloaded = new CodedError("SERVICE_UNAVAILABLE", "too much to do at once; try again", {
  retryAfter: 1,
});

/** Looks at the event loop, and says how many requests it can do with. */
function watchLoop(maxRequests: number) {
  let [bound, finished, rate, late, full] = [maxRequests, 0, 0, 0, 0];
  let lookedAt = performance.now();
  let utilization = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.now();
    const { utilization: worked } = performance.eventLoopUtilization(utilization);
    const seconds = (now - lookedAt) / 1_000;
    late = now - lookedAt - lookEveryMs > maxDelayMs ? late + 1 : 0;
    rate = 0.7 * rate + 0.3 * (finished / seconds);
    full = worked >= busy ? full + 1 : 0;
    const few = Math.min(fewRequests, maxRequests);
    if (late >= lateLooks) bound = few;
    else
      bound = full < busyLooks ? maxRequests : Math.min(Math.max(rate * maxBacklogSeconds, few), maxRequests);
    [lookedAt, finished, utilization] = [now, 0, performance.eventLoopUtilization()];
  }, lookEveryMs).unref();
  return { bound: () => bound, finished: () => void finished++, stop: () => clearInterval(timer) };
}
