/**
 * The key introspection endpoint (RFC 7662). `POST /internal/keys/introspect` with `token=<API key>` answers whether the key is
 * active. If it is, the response also contains the values from which the gateway sets the context headers. The status is 404 if
 * the request lacks the gateway's proof, or if `GATEWAY_SECRET` is not set.
 */
import type { FastifyInstance } from "fastify";
import { CodedError, type Config } from "restbound";
import { hasProof, proofHeader } from "restbound/role";
import type { Store } from "../store/store.ts";
import { findCaller, type KeyOwner, type KeyRules } from "./keys.ts";

export const introspectionPath = "/internal/keys/introspect";
const form = "application/x-www-form-urlencoded";

/** Registers the endpoint in a separate Fastify scope, so that only this route accepts forms. */
export function serveIntrospection(
  server: FastifyInstance,
  config: Config,
  store: Store,
  rules: KeyRules,
): void {
  server.register(async (scope) => {
    scope.addContentTypeParser(form, { parseAs: "string", bodyLimit: 4_096 }, (_request, body, done) => {
      done(null, new URLSearchParams(String(body)));
    });
    scope.post(introspectionPath, {
      onRequest: async (request) => {
        if (hasProof(config.env, request.headers[proofHeader])) return;
        throw new CodedError("NOT_FOUND", "no route for POST on this path");
      },
      handler: async (request, reply) => {
        const tokens = request.body instanceof URLSearchParams ? request.body.getAll("token") : [];
        const [token] = tokens;
        if (!token || tokens.length > 1) {
          throw new CodedError("BAD_USER_INPUT", "token: is required, once", { argument: "token" });
        }
        const caller = findCaller(store, rules, token, new Date());
        return reply.header("cache-control", "private, no-store").send(toResponse(caller));
      },
    });
  });
}

/** RFC 7662 §2.2. For an inactive key, the response has only the member `active`. */
function toResponse(caller: KeyOwner | undefined): Record<string, unknown> {
  if (!caller) return { active: false };
  return {
    active: true,
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    api_key_id: caller.apiKeyId,
    roles: caller.roles,
    permissions: caller.permissions,
    features: caller.features,
    key_scopes: caller.keyScopes,
    teams: caller.teams,
    ...(caller.expiresAt ? { exp: Math.floor(Date.parse(caller.expiresAt) / 1000) } : {}),
  };
}
