/**
 * Limits unfinished request bodies. A body must be complete within `REQUEST_TIMEOUT_MS` and arrive at a minimum rate. The number
 * of slow bodies per address and per credential is limited, and so is the memory of all bodies. A violation results in a 408 and
 * closes the connection. When the server stops, bodies get one more second, and then a 503. A body's age is the number of past
 * checks, not a time, so that a delay of the event loop does not make clients look slow.
 *
 * The number of chunks of a chunked body (RFC 9112 §7.1) is limited too. Node handles each chunk separately, so 1 MiB in chunks
 * of one byte takes two seconds of CPU time.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { CodedError, refusedByLimit } from "../../coded-error.ts";
import { slowBodies } from "../../settings/capacity.ts";
import type { Environment } from "../../settings/environment.ts";
import { addressBlock } from "../address-block.ts";

const checkMs = 250;
/** Bodies above this size are watched immediately. */
const large = 65_536;
const { slowAfterMs, graceMs, minimumRate } = slowBodies;
/**
 * How long to receive the rest of a request after the response: some clients read the response only after sending everything (RFC
 * 9112 §9.6).
 */
const lingerMs = 1_000;

type Body = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  address?: string;
  /** Bytes received since `#watch`. */
  bytes: number;
  ageMs: number;
  answeredMs: number;
};

export class SlowBodies {
  readonly #env: Environment;
  #arrived: Body[] = [];
  /** The watched bodies, the oldest first. */
  readonly #unfinished = new Set<Body>();
  /** Bytes received since the last `#freeMemory`. */
  #uncounted = 0;
  #timer: NodeJS.Timeout | undefined;
  #stoppingMs: number | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * Large bodies are watched immediately: a thousand connections can deliver up to 2 MiB each in one tick of the event loop.
   * Small bodies are watched from the next tick, because most of them arrive together with their headers.
   */
  watch(request: FastifyRequest, reply: FastifyReply): void {
    const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
    if (length === "0" && coding === undefined) return;
    if (request.raw.socket.bytesRead === undefined) return; // an injected request has a complete body
    const body: Body = { request, reply, bytes: 0, ageMs: 0, answeredMs: 0 };
    if (coding !== undefined) countChunks(body);
    if (coding !== undefined || Number(length) > large) return this.#watch(body);
    if (this.#arrived.length === 0) setImmediate(() => this.#watchUnfinished());
    this.#arrived.push(body);
  }

  /** Gives unfinished bodies one more second. */
  stop(): void {
    this.#stoppingMs = 0;
  }

  #watchUnfinished(): void {
    for (const body of this.#arrived) if (!isOver(body)) this.#watch(body);
    this.#arrived = [];
  }

  /** Watches a body. The `end` event stops the watch before the next check, so that the request does not stay in memory. */
  #watch(body: Body): void {
    const { raw } = body.request;
    this.#unfinished.add(body);
    this.#timer ??= setInterval(() => this.#check(), checkMs).unref();
    raw.once("end", () => this.#unfinished.delete(body));
    const push = raw.push.bind(raw);
    raw.push = (chunk: Buffer | null): boolean => {
      const { length = 0 } = chunk ?? {};
      body.bytes += length;
      this.#uncounted += length;
      if (this.#uncounted > (slowBodies.all / 8) * this.#env.MAX_BODY_BYTES) this.#freeMemory();
      return push(chunk);
    };
  }

  #check(): void {
    if (this.#stoppingMs !== undefined) this.#stoppingMs += checkMs;
    const slow = new Map<string, number>();
    for (const body of this.#unfinished) {
      body.ageMs += checkMs;
      if (isOver(body)) this.#unfinished.delete(body);
      else if (body.reply.raw.writableEnded) linger(body);
      else {
        const fault = this.#faultOf(body, slow);
        if (fault) end(body, fault);
      }
    }
    this.#freeMemory();
    if (this.#unfinished.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #faultOf(body: Body, slow: Map<string, number>): CodedError | undefined {
    const { ageMs } = body;
    if (this.#stoppingMs !== undefined && Math.min(this.#stoppingMs, ageMs) >= slowAfterMs)
      return refusedByLimit("stopping", "SERVICE_UNAVAILABLE", "this service is stopping");
    if (ageMs >= this.#env.REQUEST_TIMEOUT_MS) return late("the request did not arrive in time");
    if (ageMs >= graceMs && body.bytes < (minimumRate * ageMs) / 1_000)
      return late("the request body arrives too slowly");
    if (ageMs < slowAfterMs) return undefined;
    const counts = ownersOf(body).map((owner) => {
      const count = (slow.get(owner) ?? 0) + 1;
      slow.set(owner, count);
      return count;
    });
    return Math.max(...counts) > slowBodies.ofSender
      ? late("too many slow request bodies at once")
      : undefined;
  }

  /**
   * Rejects bodies until they no longer take too much memory, first those of the address with the most bytes. Of an address,
   * rejects the oldest bodies first: a fast body would be complete by now.
   */
  #freeMemory(): void {
    this.#uncounted = 0;
    const slow = [...this.#unfinished].filter((body) => !isOver(body) && !body.reply.raw.writableEnded);
    const ofAddress = new Map<string, number>();
    const ofSender = (body: Body): number => ofAddress.get(addressOf(body)) ?? 0;
    for (const body of slow) ofAddress.set(addressOf(body), ofSender(body) + body.bytes);
    let tooMuch = slow.reduce((sum, { bytes }) => sum + bytes, -slowBodies.all * this.#env.MAX_BODY_BYTES);
    if (tooMuch > 0) slow.sort((one, other) => ofSender(other) - ofSender(one));
    for (const body of slow) {
      if (tooMuch <= 0) return;
      tooMuch -= body.bytes;
      end(body, late("request bodies take too much memory"));
    }
  }
}

/**
 * After too many small chunks, stops reading the body. The body is rejected only after a delay: after a disconnect, a client
 * reconnects at once, which costs 20 ms.
 *
 * If the response is sent first, the rest of the body stays unread until `linger` closes the connection: Node would only discard
 * it.
 */
function countChunks(body: Body): void {
  const { raw } = body.request;
  const push = raw.push.bind(raw);
  let chunks = 0;
  let isRefused = false;
  raw.push = (chunk: Buffer | null): boolean => {
    if (isRefused) return false;
    if (chunk !== null) chunks++;
    isRefused = chunks > slowBodies.chunks + body.bytes / slowBodies.chunkBytes;
    if (!isRefused) return push(chunk);
    raw.socket.pause();
    setTimeout(refuse, lingerMs).unref();
    return false;
  };
  const refuse = (): void => {
    if (raw.listenerCount("error") === 0) raw.destroy();
    else end(body, new CodedError("BAD_REQUEST", "the request body has too many small chunks"));
  };
  const leaveUnread = (): void => {
    if (!raw.complete && !isRefused) raw.socket.pause();
  };
  body.reply.raw.once("finish", () => setImmediate(leaveUnread)); // runs after Node has resumed the socket to discard the rest
}

const late = (message: string): CodedError =>
  new CodedError("REQUEST_TIMEOUT", message, {}, { reason: "slow_body" });

const isOver = ({ request: { raw } }: Body): boolean => raw.complete || raw.readableEnded || raw.destroyed;

const addressOf = (body: Body): string => (body.address ??= addressBlock(body.request.ip));

/** The prefixes distinguish an invented credential from the address of another client. */
function ownersOf(body: Body): string[] {
  const { "x-api-key": apiKey, authorization } = body.request.headers;
  const credential = apiKey ?? authorization;
  const address = `address ${addressOf(body)}`;
  return credential === undefined ? [address] : [address, `credential ${credential}`];
}

function linger(body: Body): void {
  body.answeredMs += checkMs;
  if (body.answeredMs > lingerMs) body.request.raw.destroy();
}

/** Emits the fault as an error of the body, so that its reader responds. If there is no reader, the next check retries. */
function end({ request: { raw }, reply }: Body, fault: CodedError): void {
  if (reply.raw.headersSent) return void raw.destroy();
  if (raw.listenerCount("error") === 0) return;
  reply.header("connection", "close");
  raw.emit("error", fault);
}
