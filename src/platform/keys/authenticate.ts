/**
 * Finds the caller of a request under `/v1/`. If the request contains the gateway's proof, its context headers name the caller.
 * Any other request must contain an API key of the platform.
 */
import type { FastifyRequest } from "fastify";
import type { Config } from "restbound";
import {
  hasProof,
  proofHeader,
  readContextHeaders,
  readKey,
  type TenantContext,
  unauthenticated,
} from "restbound/role";
import type { Store } from "../store/store.ts";
import { findCaller, type KeyRules } from "./keys.ts";

export const keyRules = (config: Config, permissions: readonly string[]): KeyRules => ({
  environment: config.env.API_ENVIRONMENT,
  allowDemo: !config.production,
  permissions,
});

/** Throws `UNAUTHENTICATED` without a known caller, `BAD_REQUEST` for repeated or conflicting credentials. */
export function authenticate(
  config: Config,
  store: Store,
  rules: KeyRules,
  request: FastifyRequest,
): TenantContext {
  if (hasProof(config.env, request.headers[proofHeader])) {
    const context = readContextHeaders(config.env.CONTEXT_HEADER_PREFIX, request.headers);
    if (context) return context;
  }
  const key = readKey(request.raw.rawHeaders);
  const caller = key === undefined ? undefined : findCaller(store, rules, key, new Date());
  if (!caller) throw unauthenticated(key === undefined ? "no_key" : "refused_key");
  return caller;
}
