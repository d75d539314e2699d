/**
 * Refuses requests early under overload, so that accepted requests are answered soon. Three bounds apply to the
 * requests under way. The first is fixed. The second applies while the event loop has no idle time: the number of
 * requests that finish in half a second (Little's law: more requests would only wait longer). The third applies while
 * the event loop stays late: `fewRequests`. Callers share each bound (`FairBound`). One long pause is not overload. The
 * histogram of `perf_hooks` samples the loop between long turns, so it has no samples while every turn is long.
 */
import { performance } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Bound, type CodedError, refusedBy } from "../errors.ts";
import { sendError } from "../http/error-response.ts";
import { FairBound } from "../rest/shares/fair-bound.ts";
import { largeAnswers, largeBodies } from "../settings/capacity.ts";

const lookEveryMs = 100;
/** The loop is late when a look is more than this many ms late. It stays late after this many late looks in a row. */
const maxDelayMs = 200;
const lateLooks = 3;
/** A busy loop works this part of its time for this many looks in a row. Its backlog may then take this many seconds. */
const busy = 0.95;
const busyLooks = 5;
const maxBacklogSeconds = 0.5;
/** Up to this many requests are never an overload, even if each of them takes long. */
const fewRequests = 64;
/** One UTF-16 unit of a string takes at most this many bytes in UTF-8. */
const mostBytes = 3;

/** Applies to the routes that `server` registers afterwards. The health checks stand outside. */
export function shedOverload(
  server: FastifyInstance,
  maxRequests: number,
  callerOf: (request: FastifyRequest) => string,
): void {
  const loop = watchLoop(maxRequests);
  const underWay = new FairBound();
  const bodies = new FairBound();
  const unreadBytes = new FairBound();
  let refused = 0;
  const tell = setInterval(() => {
    if (refused > 0) server.log.warn({ refused }, "overload: requests refused in the last second");
    refused = 0;
  }, 1_000).unref();
  server.addHook("onClose", async () => {
    clearInterval(tell);
    loop.stop();
  });
  const refuse = (reply: FastifyReply): void => {
    refused++;
    const isLoop = loop.bound() < maxRequests;
    sendError(reply, isLoop ? loopFull : overloaded); // bypasses the error handler, because a log line for each refusal would add load
  };
  server.addHook("onRequest", (request, reply, done) => {
    if (underWay.hasRoom(callerOf(request), 1, loop.bound())) done();
    else refuse(reply);
  });
  // a request counts once its body has arrived, so a client that sends its body slowly blocks no other client
  server.addHook("preHandler", (request, reply, done) => {
    const caller = callerOf(request);
    const large = largeLength(request);
    if (large > 0 && !bodies.hasRoom(caller, large, largeBodies.underWay)) return done(tooManyBodies);
    if (!underWay.take(caller, 1, loop.bound())) return refuse(reply);
    if (large > 0) bodies.take(caller, large, largeBodies.underWay);
    reply.raw.on("close", () => {
      underWay.giveBack(caller, 1);
      if (large > 0) bodies.giveBack(caller, large);
      loop.finished();
    });
    done();
  });
  server.addHook("onSend", (request, reply, payload, done) => {
    if (typeof payload !== "string" || payload.length * mostBytes < largeAnswers.from)
      return done(null, payload);
    const bytes = Buffer.byteLength(payload);
    if (bytes < largeAnswers.from) return done(null, payload);
    const caller = callerOf(request);
    if (!unreadBytes.take(caller, bytes, largeAnswers.unread)) return done(unread);
    reply.raw.on("close", () => unreadBytes.giveBack(caller, bytes));
    done(null, Buffer.from(payload)); // the bytes replace the text, so memory holds the response once
  });
}

/** The length of a large body that is not parsed yet; 0 for any other. */
const largeLength = ({ body }: FastifyRequest): number =>
  typeof body === "string" && body.length >= largeBodies.from ? body.length : 0;

const refusal = (bound: Bound): CodedError =>
  refusedBy(bound, "SERVICE_UNAVAILABLE", "too much to do at once; try again");
const overloaded = refusal("requests_under_way");
const loopFull = refusal("event_loop");
const unread = refusal("answers_unread");
const tooManyBodies = refusal("bodies");

/** Samples the event loop. `bound` gives the number of requests that it can handle. */
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
