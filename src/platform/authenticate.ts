/**
 * Who calls, for every request under `/v1/`: the context headers if the gateway's proof vouches for them, else the
 * credentials, verified against the platform's own keys. Repeated or conflicting credentials are refused.
 */
import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { hasProof, proofHeader, readContextHeaders, type TenantContext } from "../http/context-headers.ts";
import { findCaller, type KeyRules } from "./keys.ts";
import type { Store } from "./store.ts";

export const keyRules = (config: Config, permissions: readonly string[]): KeyRules => ({
  environment: config.env.API_ENVIRONMENT as KeyRules["environment"],
  allowDemo: !config.production,
  permissions,
});

/** Throws `UNAUTHENTICATED` when nobody can be told. */
export function authenticate(
  config: Config,
  store: Store,
  rules: KeyRules,
  request: FastifyRequest,
): TenantContext {
  if (hasProof(config.env.GATEWAY_SECRET, request.headers[proofHeader])) {
    const context = readContextHeaders(config.env.CONTEXT_HEADER_PREFIX, request.headers);
    if (context) return context;
  }
  const caller = findCaller(store, rules, credential(request), new Date());
  if (!caller) throw new CodedError("UNAUTHENTICATED", "the API key is not valid");
  return caller;
}

/** The one key of a request (RFC 6750 §2.1 for the bearer form). */
function credential({ headers, raw }: FastifyRequest): string {
  const names = raw.rawHeaders.filter((_value, index) => index % 2 === 0).map((name) => name.toLowerCase());
  for (const name of ["x-api-key", "authorization"]) {
    if (names.filter((other) => other === name).length > 1) refuse("the credentials are repeated");
  }
  const apiKey = headers["x-api-key"];
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (headers.authorization !== undefined && bearer === undefined)
    refuse("Authorization must be Bearer <API key>");
  if (typeof apiKey === "string" && bearer !== undefined && apiKey !== bearer)
    refuse("the two credentials differ");
  const key = typeof apiKey === "string" ? apiKey : bearer;
  return key ?? refuse("an API key is needed, as X-API-Key or as Authorization: Bearer");
}

function refuse(message: string): never {
  throw new CodedError("UNAUTHENTICATED", message);
}
