/**
 * Phase 4: one request to one upstream and its answer back, both streamed. Sent once: no retry, no redirect
 * followed. A client that leaves ends the call; an upstream that is down, silent or broken becomes a coded error.
 */
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { bodyTooLarge } from "../http/server.ts";
import { Passage } from "./passage.ts";
import { type Headers, stripResponse } from "./strip.ts";
import type { Target } from "./target.ts";

export type Outgoing = {
  target: Target;
  method: string;
  headers: Headers;
  body: Readable | undefined;
  /** Takes the answer's body, and ends the call by leaving. */
  client: ServerResponse;
  /** Writes the answer's head to the client. */
  begin: (status: number, headers: Headers) => void;
};
/** Resolves once the answer goes out; a failure from then on breaks the client's connection. */
export type Forward = (outgoing: Outgoing) => Promise<void>;

/** Requests at a time to one upstream; beyond them they wait, inside their deadline. */
export const connections = 256;

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
export const methods: Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Makes the sender, with a pool of connections an upstream, and what closes them. A failure is a `CodedError`:
 * UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT, UPSTREAM_ERROR, BAD_REQUEST, LIMIT_EXCEEDED (`MAX_BODY_BYTES`), CLIENT_CLOSED_REQUEST.
 */
export function createForward(config: Config): { forward: Forward; close: () => Promise<void> } {
  const { MAX_BODY_BYTES: maxBytes, REQUEST_TIMEOUT_MS, CONTEXT_HEADER_PREFIX: prefix } = config.env;
  // the services behind keep the same deadline and answer better: they get half a second to do so
  const timeoutMs = REQUEST_TIMEOUT_MS + 500;
  const pools = new Map<string, Pool>();
  const poolOf = ({ origin }: URL): Pool => {
    const pool = pools.get(origin) ?? openPool(config, origin);
    pools.set(origin, pool);
    return pool;
  };
  const forward: Forward = async ({ target, method, headers, body, client, begin }) => {
    if (Number(headers["content-length"]) > maxBytes) throw bodyTooLarge(maxBytes); // while nobody is writing it yet
    const passage = new Passage(
      client,
      (status, answered) => begin(status, stripResponse(prefix, status, answered)),
      timeoutMs,
    );
    poolOf(target.upstream).dispatch(
      {
        path: target.path,
        method: method as Method,
        headers,
        body: body ? (bounded(body, maxBytes) as AsyncIterable<Buffer> as Readable) : null,
      },
      passage,
    );
    try {
      await passage.begun;
    } catch (error) {
      throw toCodedError(error);
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

/** The body, cut at `max` bytes. The client's stream itself is left alone, so that the client can still be answered. */
async function* bounded(body: Readable, max: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > max) throw bodyTooLarge(max);
    yield chunk;
  }
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
