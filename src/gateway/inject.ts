/**
 * Phase 3: sets the headers that only the gateway may set: the eight context headers and its proof, the request id, the
 * client's address, and the W3C trace context. The gateway records no span, so a valid trace context stays unchanged.
 */
import { randomUUID } from "node:crypto";
import type { Config } from "../config.ts";
import { proofHeader, type TenantContext, writeContextHeaders } from "../http/context-headers.ts";
import type { Headers } from "./strip.ts";

/** The parts of a request that the gateway vouches for. */
export type Origin = {
  id: string;
  ip: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Adds to `headers` (stripped before); without `caller` no context and no proof go out. */
export type Inject = (headers: Headers, origin: Origin, caller: TenantContext | undefined) => Headers;

export function createInject({ env }: Config): Inject {
  const proof: Headers = env.GATEWAY_SECRET === undefined ? {} : { [proofHeader]: env.GATEWAY_SECRET };
  // the key verifier returns the same context object as long as it caches the key
  const written = new WeakMap<TenantContext, Headers>();
  const contextHeaders = (caller: TenantContext): Headers => {
    const known = written.get(caller);
    if (known) return known;
    const headers = { ...proof, ...writeContextHeaders(env.CONTEXT_HEADER_PREFIX, caller) };
    written.set(caller, headers);
    return headers;
  };
  return (headers, origin, caller) => ({
    ...headers,
    ...traceContext(origin.headers),
    "x-request-id": origin.id,
    "x-forwarded-for": origin.ip,
    ...(caller && contextHeaders(caller)),
  });
}

const validParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Trace Context (W3C) §3.2, §3.3: an invalid parent starts a new trace and takes its state with it. */
function traceContext({ traceparent, tracestate }: Origin["headers"]): Headers {
  if (typeof traceparent !== "string" || !validParent.test(traceparent)) return { traceparent: newParent() };
  return typeof tracestate === "string" ? { traceparent, tracestate } : { traceparent };
}

/** UUIDs, because Node draws their randomness in batches; `randomBytes` was 7 % of the gateway's time. */
const randomHex = (length: 16 | 32): string => randomUUID().replaceAll("-", "").slice(-length);

const newParent = (): string => `00-${randomHex(32)}-${randomHex(16)}-00`;
