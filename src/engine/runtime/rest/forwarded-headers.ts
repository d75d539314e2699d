/**
 * The headers of a request that travel on to REST. They are an allow-list, set and never appended. An operation
 * receives the credentials that the document declares for it. The context headers, the gateway's proof and its trace
 * travel on only if the request itself came with that proof.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Operations } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { contextHeaderNames, hasProof, proofHeader } from "../http/context-headers.ts";
import type { Config } from "../settings/config.ts";
import { CallerHeaders, digestIfLong } from "./caller-headers.ts";
import { credentialReader, ownersOf } from "./credentials.ts";

const trace = ["traceparent", "tracestate"];

type HeaderForwarder = (headers: IncomingHttpHeaders, requestId: string) => CallerHeaders;

const verified = "tenant ";

/** Whether the gateway vouches for the caller. */
export const isVerified = ({ caller }: CallerHeaders): boolean => caller.startsWith(verified);

/** `operations` are all that a request may call. */
export function headerForwarder({ env }: Config, operations: Operations): HeaderForwarder {
  const contextNames = contextHeaderNames(env.CONTEXT_HEADER_PREFIX);
  const proved = ["accept-language", ...trace, ...contextNames, proofHeader];
  const ours = new Set([...proved, "accept", "x-request-id"]);
  const credentialsOf = credentialReader(operations, (name) => ours.has(name));
  const ownersIn = ownersOf(operations);
  const [tenantId = ""] = contextNames;
  return (given, requestId) => {
    const headers = new Dictionary<string>({ accept: "application/json", "x-request-id": requestId });
    const names = hasProof(env, given[proofHeader]) ? proved : ["accept-language"];
    for (const name of names) {
      const value = own(given, name);
      if (typeof value === "string") headers[name] = value;
    }
    const credentials = credentialsOf(given);
    const tenant = headers[tenantId];
    const owners =
      tenant !== undefined
        ? [{ name: verified + tenant, way: [] }]
        : ownersIn(credentials).map(({ name, way }) => ({ name: `key ${digestIfLong(name)}`, way }));
    return new CallerHeaders(headers, credentials, owners);
  };
}
