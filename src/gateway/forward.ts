/**
 * Phase 4: one request to one upstream and its answer back, both streamed. Sent once: no retry, no redirect
 * followed. A client that leaves aborts the call; an upstream that is down, silent or broken becomes a coded error.
 */
import { Readable } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { type Headers, stripResponse } from "./strip.ts";
import type { Target } from "./target.ts";

export type Outgoing = {
  target: Target;
  method: string;
  headers: Headers;
  body: Readable | undefined;
  /** Ends the call, and the answer while it streams. */
  abort: AbortController;
};
export type Answer = { status: number; headers: Headers; body: Readable };
export type Forward = (outgoing: Outgoing) => Promise<Answer>;

/** Requests at a time to one upstream; beyond them they wait, inside their deadline. */
export const connections = 256;

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
export const methods: Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Makes the sender, with a pool of connections an upstream, and what closes them. A failure is a `CodedError`:
 * UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT, UPSTREAM_ERROR, BAD_REQUEST, LIMIT_EXCEEDED (`MAX_BODY_BYTES`), or what `abort` was given.
 */
export function createForward(config: Config): { forward: Forward; close: () => Promise<void> } {
  const pools = new Map<string, Pool>();
  const poolOf = ({ origin }: URL): Pool => {
    const pool = pools.get(origin) ?? openPool(config, origin);
    pools.set(origin, pool);
    return pool;
  };
  const forward: Forward = async ({ target, method, headers, body, abort }) => {
    const { MAX_BODY_BYTES: max } = config.env;
    if (Number(headers["content-length"]) > max) throw tooLarge(max); // while nobody is writing it yet
    const arrived = startDeadline(config.env.REQUEST_TIMEOUT_MS, abort);
    try {
      const response = await poolOf(target.upstream).request({
        path: target.path,
        method: method as Method,
        headers,
        body: body ? Readable.from(bounded(body, max)) : null,
        signal: abort.signal,
      });
      return readAnswer(config, response);
    } catch (error) {
      throw toCodedError(error);
    } finally {
      arrived();
    }
  };
  return {
    forward,
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  };
}

function openPool(config: Config, origin: string): Pool {
  const connect = { timeout: config.env.CONNECT_TIMEOUT_MS };
  return new Pool(origin, {
    connections,
    connect,
    headersTimeout: 0,
    bodyTimeout: config.env.REQUEST_TIMEOUT_MS,
  });
}

/** Aborts the call when the head of the answer takes too long; returns how to say that it is here. */
function startDeadline(ms: number, abort: AbortController): () => void {
  // the services behind keep the same deadline and answer better: they get half a second to do so
  const timer = setTimeout(
    () => abort.abort(new CodedError("UPSTREAM_TIMEOUT", "no answer in time")),
    ms + 500,
  );
  return () => clearTimeout(timer);
}

/** The body, cut at `max` bytes. The client's stream itself is left alone, so that the client can still be answered. */
async function* bounded(body: Readable, max: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > max) throw tooLarge(max);
    yield chunk;
  }
}

const tooLarge = (bytes: number): CodedError =>
  new CodedError("LIMIT_EXCEEDED", "the request body is too large", {
    limit: "MAX_BODY_BYTES",
    value: bytes,
  });

function readAnswer(config: Config, { statusCode, headers, body }: Dispatcher.ResponseData): Answer {
  if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
    body.on("error", () => {}).destroy(); // its Location may name a host that no client should know
    throw new CodedError("UPSTREAM_ERROR", "the upstream answered with a redirect");
  }
  return { status: statusCode, headers: stripResponse(config.env.CONTEXT_HEADER_PREFIX, headers), body };
}

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const malformed = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"]);

function toCodedError(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (unreachable.has(code))
    return new CodedError("UPSTREAM_UNAVAILABLE", "the upstream cannot be reached", {}, error);
  if (malformed.has(code)) return new CodedError("BAD_REQUEST", "the request cannot be forwarded", {}, error);
  return new CodedError("UPSTREAM_ERROR", "the upstream broke off", {}, error);
}
