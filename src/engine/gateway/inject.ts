/**
 * Phase 3: sets the headers that only the gateway may set: the eight context headers, the gateway's proof, the request id, the
 * client's address and the W3C trace context. Starts a new trace for each request instead of continuing the client's.
 */
import type { FastifyRequest } from "fastify";
import { type TenantContext, writeContextHeaders } from "../runtime/http/context-headers.ts";
import { proofHeader } from "../runtime/http/gateway-proof.ts";
import { createTraceparent } from "../runtime/observe/trace-context.ts";
import type { Config } from "../runtime/settings/config.ts";
import type { HeaderFields } from "./strip.ts";

/** Adds the gateway's headers to the stripped `headers`. Without a `caller`, adds no context headers and no proof. */
type Inject = (
  headers: HeaderFields,
  request: FastifyRequest,
  caller: TenantContext | undefined,
) => HeaderFields;

export function createInject({ env }: Config): Inject {
  // the headers of each context object are written once; the key verifier returns the same object as long as it caches the key
  let written = new WeakMap<TenantContext, HeaderFields>();
  let secret = env.GATEWAY_SECRET;
  const contextHeaders = (caller: TenantContext): HeaderFields => {
    if (env.GATEWAY_SECRET !== secret) {
      secret = env.GATEWAY_SECRET;
      written = new WeakMap();
    }
    const cached = written.get(caller);
    if (cached) return cached;
    const proof = secret !== undefined && { [proofHeader]: secret };
    const headers = { ...proof, ...writeContextHeaders(env.CONTEXT_HEADER_PREFIX, caller) };
    written.set(caller, headers);
    return headers;
  };
  return (headers, { id, ip, record }, caller) => {
    record.traceparent ??= createTraceparent();
    return {
      ...headers,
      traceparent: record.traceparent,
      "x-request-id": id,
      "x-forwarded-for": ip,
      ...(caller && contextHeaders(caller)),
    };
  };
}
