/**
 * The headers of a request that travel on to REST. They are an allow-list, set and never appended. The context headers
 * and the gateway's proof travel on only if the request itself came with that proof.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../config.ts";
import { contextHeaderNames, hasProof, proofHeader } from "../http/context-headers.ts";
import { credentialHeaders } from "../standards/credential-headers.ts";
import type { Forwarded } from "./identity.ts";

const credentials = credentialHeaders.map((name) => name.toLowerCase());
const always = [...credentials, "traceparent", "tracestate", "accept-language"];

export type HeaderForwarder = (headers: IncomingHttpHeaders, requestId: string) => Forwarded;

export function headerForwarder({ env }: Config): HeaderForwarder {
  const contextNames = contextHeaderNames(env.CONTEXT_HEADER_PREFIX);
  const proved = [...contextNames, proofHeader];
  const [tenantId = ""] = contextNames;
  return (given, requestId) => {
    const headers: Record<string, string> = { accept: "application/json", "x-request-id": requestId };
    const names = hasProof(env, given[proofHeader]) ? [...always, ...proved] : always;
    for (const name of names) {
      const value = given[name];
      if (typeof value === "string") headers[name] = value;
    }
    return { headers, caller: callerOf(headers, headers[tenantId]) };
  };
}

const verified = "tenant ";

/** Whether the gateway vouches for the caller. */
export const isVerified = ({ caller }: Forwarded): boolean => caller.startsWith(verified);

/**
 * The caller that a request belongs to: the tenant if the gateway's proof came along, else the credential. A request
 * without a credential, or with two, belongs to nobody. Of two, REST may read the other one.
 */
function callerOf(headers: Record<string, string>, tenantId: string | undefined): string {
  if (tenantId !== undefined) return verified + tenantId;
  const { "x-api-key": key, authorization } = headers;
  const credential = key ?? authorization;
  const isOne = key === undefined || authorization === undefined;
  return isOne && credential ? `key ${credential}` : "";
}
