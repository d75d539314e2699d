/**
 * What of a caller's request travels on to REST: an allow-list, set and never appended. The context headers and the
 * gateway's proof go along only where the request itself came with that proof.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../config.ts";
import { contextHeaderNames, hasProof, proofHeader } from "../http/context-headers.ts";

const always = ["x-api-key", "authorization", "traceparent", "tracestate", "accept-language"];

export type HeaderForwarder = (headers: IncomingHttpHeaders, requestId: string) => Record<string, string>;

export function headerForwarder({ env }: Config): HeaderForwarder {
  const proved = [...contextHeaderNames(env.CONTEXT_HEADER_PREFIX), proofHeader];
  return (headers, requestId) => {
    const forwarded: Record<string, string> = { accept: "application/json", "x-request-id": requestId };
    const names = hasProof(env.GATEWAY_SECRET, headers[proofHeader]) ? [...always, ...proved] : always;
    for (const name of names) {
      const value = headers[name];
      if (typeof value === "string") forwarded[name] = value;
    }
    return forwarded;
  };
}
