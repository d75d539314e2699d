/**
 * Admits requests: counts them against limits, and queues their start. Under overload, requests are refused early, so that
 * accepted requests are answered soon. Callers share the allowed number of requests in flight (`SharedQuota`), which depends on
 * the event loop:
 * - Usually, the number is `MAX_CONCURRENT_REQUESTS`.
 * - While the event loop is never idle, the number is how many requests finish in `maxBacklogSeconds`: more requests would
 *   only make all of them wait longer (Little's law).
 * - While timers keep firing late, the number is `fewRequests`.
 *
 * A single long pause of the event loop, such as a garbage collection, does not count as overload. Lateness is measured with a
 * timer, because the histogram of `perf_hooks` takes no samples while every tick is long.
 */
import { performance } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type CodedError, type LimitName, refusedByLimit } from "../coded-error.ts";
import type { Caller } from "../governor/caller.ts";
import type { Pausable } from "../governor/processor-share.ts";
import { type Refusal, SharedQuota } from "../governor/shared-quota.ts";
import type { QueuePlace, StartQueue } from "../governor/start-queue.ts";
import { sendError } from "../http/error-response.ts";
import type { RequestScope } from "../rest/request-scope.ts";
import { largeAnswers, largeBodies } from "../settings/capacity.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined on routes that `admitRequests` does not apply to. */
    admission: Admission | undefined;
  }
}

type UnreadLimit = {
  readonly quota: SharedQuota;
  readonly refusals: Readonly<Record<Refusal, CodedError>>;
};

/**
 * What one HTTP request occupies: a place in the start queue, and amounts of quotas. The request returns them when its response
 * is sent and its REST calls have ended. The limits of its execution are in its `RequestScope`.
 */
export class Admission implements Pausable {
  readonly caller: Caller;
  /** The place in the start queue. A request that waited for an identical query and is then executed itself gets a new place. */
  place: QueuePlace | undefined;
  #scope: RequestScope | undefined;
  /** The quota that counts this request as in flight, if any. */
  #inFlight: SharedQuota | undefined;
  /** Amounts that are returned to their quotas when the request ends (see `close`). */
  #held: [quota: SharedQuota, amount: number][] | undefined;

  readonly #unread: UnreadLimit | undefined;

  /** `unread` limits the bytes of large responses that clients have not read yet. */
  constructor(caller: Caller, unread?: UnreadLimit) {
    this.caller = caller;
    this.#unread = unread;
  }

  /** Counts the bytes of a large response, or of a large part of it, as unread. Throws if the quota has too few bytes left. */
  holdUnread(bytes: number): void {
    if (!this.#unread) return;
    const refusal = this.#unread.quota.take(this.caller, bytes);
    if (refusal) throw this.#unread.refusals[refusal];
    this.hold(this.#unread.quota, bytes);
  }

  /** Called when the execution of the request begins. `scope` makes the request's REST calls. */
  execute(scope: RequestScope): void {
    this.#scope = scope;
  }

  /** Marks the request as in flight. The calling code has already taken 1 from `quota` for the request. */
  count(quota: SharedQuota): void {
    this.#inFlight = quota;
  }

  get isInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Registers an amount that was taken from `quota`, to be returned when the request ends. */
  hold(quota: SharedQuota, amount: number): void {
    this.#held ??= [];
    this.#held.push([quota, amount]);
  }

  pause(): void {
    this.place?.pause();
  }

  resume(): void {
    this.place?.resume();
  }

  /** Stops counting the request as in flight. Called for an MCP message, whose GraphQL requests are counted separately. */
  stopCounting(): void {
    this.place?.leave();
    this.#inFlight?.giveBack(this.caller, 1);
    this.#inFlight = undefined;
  }

  /**
   * Called when the response has been sent or the client has disconnected. After the request's REST calls have ended, returns the
   * amounts to the quotas and calls `ended`.
   */
  close(isAnswered: boolean, ended: () => void): void {
    const scope = this.#scope;
    const end = (): void => {
      ended();
      this.stopCounting();
      for (const [quota, amount] of this.#held ?? []) quota.giveBack(this.caller, amount);
      this.caller.leave();
    };
    if (!isAnswered) scope?.leave();
    if (scope && !scope.isClosed) scope.onClose = end;
    else end();
  }
}

/** Throws on a route that does not use `admitRequests`. */
export function admissionOf({ admission }: FastifyRequest): Admission {
  if (!admission) throw new Error("the route has no admission");
  return admission;
}

const sampleEveryMs = 100;
/** The event loop is late after `lateSamples` samples in a row whose timer fired more than `maxDelayMs` late. */
const maxDelayMs = 200;
const lateSamples = 3;
/**
 * The loop is busy if its utilization is at least `busy` in `busySamples` samples in a row. A busy loop is allowed as many
 * requests as it finishes in `maxBacklogSeconds`. Measured with 0.5 s instead of 0.2 s: at twice the load that the process can
 * handle, responses took 420 ms instead of 206 ms (p50). At five times that load, goodput was 67 % instead of 72 %, because more
 * objects of waiting requests reached the old generation.
 */
const busy = 0.95;
const busySamples = 5;
const maxBacklogSeconds = 0.2;
/** This many requests are always allowed in flight, however long they take. One caller gets at most 66 of them. */
const fewRequests = 100;
/** Most UTF-8 bytes per UTF-16 code unit. */
const mostBytes = 3;

/** Returns the caller of the request. Counts the request among the caller's in flight until `leave` is called. */
type Enter = (request: FastifyRequest) => Caller;

/**
 * Adds hooks that admit the requests of the routes that `server` registers afterwards. Returns the quotas, for metrics. While a
 * request waits, V8 may move the request object to the old generation. Everything that the object refers to then stays in memory
 * until the next full collection, so the hooks create few objects after the wait.
 */
export function admitRequests(
  server: FastifyInstance,
  maxRequests: number,
  starts: StartQueue,
  enter: Enter,
): Readonly<Record<string, SharedQuota>> {
  const loop = watchLoop(maxRequests);
  const inFlight = new SharedQuota(maxRequests);
  const bodies = new SharedQuota(largeBodies.total);
  const unreadBytes = new SharedQuota(largeAnswers.unread);
  const unread = { quota: unreadBytes, refusals: refusals("unread_responses") };
  server.addHook("onClose", async () => loop.stop());
  const refuse = (reply: FastifyReply, refusal: Refusal): void => {
    const isLoop = loop.limit() < maxRequests;
    // `sendError` bypasses the error handler, which would add load by writing a log line for each refusal
    sendError(reply, (isLoop ? loopFull : overloaded)[refusal]);
  };
  server.decorateRequest("admission");
  server.server.on("connection", () => starts.connected());
  server.addHook("onRequest", (request, reply, done) => {
    const admission = new Admission(enter(request), unread);
    request.admission = admission;
    reply.raw.on("close", () =>
      admission.close(reply.raw.writableFinished, () => {
        if (admission.isInFlight) loop.finished();
      }),
    );
    const refusal = inFlight.refusal(admission.caller, 1, loop.limit());
    if (refusal) refuse(reply, refusal);
    else done();
  });
  // a request is counted when its body has arrived, so that a slow body does not block other requests
  server.addHook("preHandler", (request, reply, done) => {
    if (reply.raw.destroyed) return; // the `close` event of the response has already fired
    const admission = admissionOf(request);
    const { caller } = admission;
    const large = largeLength(request);
    const tooLarge = large > 0 ? bodies.refusal(caller, large) : undefined;
    if (tooLarge) return done(tooManyBodies[tooLarge]);
    const refusal = inFlight.take(caller, 1, loop.limit());
    if (refusal) return refuse(reply, refusal);
    admission.count(inFlight);
    if (large > 0) {
      bodies.add(caller, large);
      admission.hold(bodies, large);
    }
    admission.place = starts.place(caller, done);
    starts.enter(admission.place);
  });
  server.addHook("onSend", (request, reply, payload, done) => {
    if (typeof payload !== "string" || payload.length * mostBytes < largeAnswers.from)
      return done(null, payload);
    if (reply.raw.destroyed) return done(null, payload); // after `close`, nothing would return the bytes to the quota
    const bytes = Buffer.byteLength(payload);
    if (bytes < largeAnswers.from) return done(null, payload);
    try {
      admissionOf(request).holdUnread(bytes);
    } catch (error) {
      return done(error as CodedError);
    }
    done(null, Buffer.from(payload)); // replaces the string by its bytes: memory holds the response only once
  });
  const { executing } = starts;
  return { requests_in_flight: inFlight, bodies, unread_responses: unreadBytes, executing };
}

/** Returns the length of a large body that is not parsed yet, and 0 for any other body. */
const largeLength = ({ body }: FastifyRequest): number =>
  typeof body === "string" && body.length >= largeBodies.from ? body.length : 0;

const refusals = (limit: LimitName): Readonly<Record<Refusal, CodedError>> => ({
  caller: refusedByLimit(
    limit,
    "SERVICE_UNAVAILABLE",
    "this caller's requests use too much capacity at once; try again",
  ),
  all: refusedByLimit(limit, "SERVICE_UNAVAILABLE", "the service is overloaded; try again"),
});
const overloaded = refusals("requests_in_flight");
const loopFull = refusals("event_loop");
const tooManyBodies = refusals("bodies");

/** Samples the event loop. `limit` returns the number of requests that may be in flight. */
function watchLoop(maxRequests: number) {
  let limit = maxRequests;
  let finished = 0;
  let rate = 0;
  let late = 0;
  let full = 0;
  let sampledAt = performance.now();
  let utilization = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.now();
    const { utilization: worked } = performance.eventLoopUtilization(utilization);
    const seconds = (now - sampledAt) / 1_000;
    late = now - sampledAt - sampleEveryMs > maxDelayMs ? late + 1 : 0;
    rate = 0.7 * rate + 0.3 * (finished / seconds);
    full = worked >= busy ? full + 1 : 0;
    const few = Math.min(fewRequests, maxRequests);
    if (late >= lateSamples) limit = few;
    else
      limit =
        full < busySamples ? maxRequests : Math.min(Math.max(rate * maxBacklogSeconds, few), maxRequests);
    sampledAt = now;
    finished = 0;
    utilization = performance.eventLoopUtilization();
  }, sampleEveryMs).unref();
  return { limit: () => limit, finished: () => void finished++, stop: () => clearInterval(timer) };
}
