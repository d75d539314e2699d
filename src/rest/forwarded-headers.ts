/**
 * What of a caller's request travels on to REST: an allow-list, set and never appended. The context headers and the
 * gateway's proof go along only where the request itself came with that proof.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../config.ts";
import { contextHeaderNames, hasProof, proofHeader } from "../http/context-headers.ts";
import { credentialHeaders } from "../http/credentials.ts";
import type { Forwarded } from "./scope.ts";

const credentials = credentialHeaders.map((name) => name.toLowerCase());
const always = [...credentials, "traceparent", "tracestate", "accept-language"];

export type HeaderForwarder = (headers: IncomingHttpHeaders, requestId: string) => Forwarded;

export function headerForwarder({ env }: Config): HeaderForwarder {
  const contextNames = contextHeaderNames(env.CONTEXT_HEADER_PREFIX);
  const proved = [...contextNames, proofHeader];
  const [tenantId = ""] = contextNames;
  return (given, requestId) => {
    const headers: Record<string, string> = { accept: "application/json", "x-request-id": requestId };
    const names = hasProof(env.GATEWAY_SECRET, given[proofHeader]) ? [...always, ...proved] : always;
    for (const name of names) {
      const value = given[name];
      if (typeof value === "string") headers[name] = value;
    }
    return { headers, caller: callerOf(headers, headers[tenantId]) };
  };
}

/**
 * Whose request it is: a tenant's where the gateway's proof came along, else whoever's credential it is, else nobody's.
 * Who sends two credentials is nobody too, because REST may not look at the one that would be taken.
 */
function callerOf(headers: Record<string, string>, tenantId: string | undefined): string {
  if (tenantId !== undefined) return `tenant ${tenantId}`;
  const { "x-api-key": key, authorization } = headers;
  return key === undefined || authorization === undefined ? `key ${key ?? authorization ?? ""}` : "";
}
