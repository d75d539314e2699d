/**
 * The gateway role: the one way in. Every request under `/v1/` passes four phases: strip, introspect, inject,
 * forward. The gateway knows only the names of request headers from the API's document. The services behind it decide
 * what a caller may do, by the context that the gateway injects.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CodedError, clientDisconnected } from "../runtime/coded-error.ts";
import { addressBlock } from "../runtime/http/address-block.ts";
import { createKeyTest } from "../runtime/http/api-key.ts";
import { leaveBodiesUnparsed } from "../runtime/http/bodies/json-body.ts";
import { refuseCodings } from "../runtime/http/content-coding.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { allowOrigins, guardMcp, respondToOptions } from "../runtime/http/cors.ts";
import { readKey, unauthenticated } from "../runtime/http/credentials.ts";
import { graphqlPath, mcpPath } from "../runtime/http/endpoint-paths.ts";
import { createServer } from "../runtime/http/server.ts";
import { credentialNames } from "../runtime/rest/credentials.ts";
import type { GeneratedApi } from "../runtime/rest/generated-api.ts";
import type { Config } from "../runtime/settings/config.ts";
import { createForward, forwardedMethods } from "./forward.ts";
import { createInject } from "./inject.ts";
import { createKeyIntrospection } from "./key-introspection.ts";
import { KeyVerifier } from "./key-verifier.ts";
import { keylessRequest, mayBeKeyless } from "./keyless.ts";
import { warnOfKeyEnvironment, warnOfUntrustedProxy } from "./misconfiguration-warnings.ts";
import { createRateLimits } from "./rate-limit.ts";
import { createRedisRateStore, type RedisRateStore } from "./redis-rate-store.ts";
import { RevocationLog } from "./revocation-log.ts";
import { forwardedHeaderNames, stripRequest } from "./strip.ts";
import { TenantConcurrency } from "./tenant-concurrency.ts";
import { type Backends, findRoute, parseRequestTarget, type UpstreamRoute } from "./upstream-route.ts";

declare module "fastify" {
  interface FastifyInstance {
    keys: KeyVerifier;
    /** What gateways share by `REDIS_URL`. */
    shared: { readonly rates: RedisRateStore; readonly revocations: RevocationLog } | undefined;
  }
  interface FastifyRequest {
    /** Where a request goes that may pass, and whose it is: nobody's if it needs no key. */
    admitted: { readonly route: UpstreamRoute; readonly caller: TenantContext | undefined };
  }
}

/** Makes the gateway in front of `backends`; it does not listen yet, and closes its connections on close. */
export async function createGateway(
  config: Config,
  backends: Backends,
  { operations, requestHeaders, specHash }: Pick<GeneratedApi, "operations" | "requestHeaders" | "specHash">,
): Promise<FastifyInstance> {
  const credentials = credentialNames(operations);
  const server = createServer(config, "gateway", { credentials, specHash });
  const forwarded = forwardedHeaderNames(config.env.CONTEXT_HEADER_PREFIX, [
    ...credentials,
    ...requestHeaders,
  ]);
  const { lookUp, close: closeLookUp } = createKeyIntrospection(config, backends.keyIntrospection);
  const { forward, close: closeForward } = createForward(config);
  // a look-up has 95 % of the time, so that a 503 reaches the client within the whole of it
  const lookUpMs = Math.ceil(config.env.KEY_INTROSPECTION_TIMEOUT_MS * 0.95);
  const keys = new KeyVerifier(lookUp, lookUpMs, config.env);
  server.decorate("keys", keys).decorateRequest("admitted");
  server.addHook("onClose", async () => void (await Promise.all([closeLookUp(), closeForward()])));
  server.addHook("onRequest", refuseTricks);
  if (config.env.TRUSTED_PROXIES.length === 0) server.addHook("onRequest", warnOfUntrustedProxy());
  // read whole before an upstream connection is taken, so that a slow client holds none
  leaveBodiesUnparsed(server, "*", "buffer");
  await allowOrigins(server, config.env.CORS_ORIGINS, forwardedMethods);
  if (config.env.MCP) guardMcp(server, config.env.CORS_ORIGINS);
  server.decorate("shared", shareWithOthers(server, config));
  const limits = createRateLimits(config, server.shared?.rates);
  const concurrency = new TenantConcurrency(config.env.MAX_BODY_BYTES);
  server.bounds = { gateway_requests: concurrency.requests, bodies: concurrency.bodies };
  const introspect = createIntrospect(server, config);
  const inject = createInject(config);

  if (backends.graphql) respondToOptions(server, config);
  server.route({
    method: "TRACE",
    url: "/v1/*",
    handler: async (_request, reply) => {
      reply.header("allow", forwardedMethods.join(", "));
      throw new CodedError("METHOD_NOT_ALLOWED", "nothing here answers to TRACE");
    },
  });
  server.route({
    method: forwardedMethods,
    url: "/v1/*",
    // the body is read afterwards
    onRequest: async (request, reply) => {
      noteRoute(request);
      await limits.byAddress(request, reply);
      const key = readKey(request.raw.rawHeaders);
      const route = findRoute(backends, request.raw.url ?? "");
      if (route.isOwn) await refuseCodings(request, reply);
      const isKeyless = key === undefined && mayBeKeyless(config, request);
      const caller = isKeyless ? undefined : await introspect(key, request.ip);
      request.admitted = { route, caller };
      noteCaller(request);
      await (caller ? limits.byKey : limits.keyless)(request, reply);
    },
    handler: async (request, reply) => {
      const { route, caller } = request.admitted;
      const body = (request.body as Buffer | undefined) ?? null;
      const { headers, ...outgoing } = caller
        ? { route, headers: stripRequest(forwarded, request.headers), body }
        : keylessRequest(request, route, body, config.env.MAX_TOKENS);
      if (reply.raw.destroyed) throw clientDisconnected(); // its connection, closed already, would never give the share back
      const ended = concurrency.acquire(caller?.tenantId, outgoing.body?.length);
      await forward({ ...outgoing, headers: inject(headers, request, caller) }, reply, ended);
      return reply;
    },
  });
  return server;
}

/** Before anything refuses the request, so that log and metrics tell a refused GraphQL request from a refused REST call. */
function noteRoute({ record, raw: { url = "" } }: FastifyRequest): void {
  const path = url.replace(/\?.*/s, "");
  if (path === graphqlPath || path === mcpPath) record.route = path;
}

function noteCaller({ record, admitted: { caller } }: FastifyRequest): void {
  record.keyId = caller?.apiKeyId;
  record.tenantId = caller?.tenantId;
}

/** Phase 2: finds the caller of a request. Throws UNAUTHENTICATED. A text that cannot be a key costs no look-up. */
function createIntrospect(server: FastifyInstance, config: Config) {
  const isLookedUp = createKeyTest(config.env);
  const tellOther = warnOfKeyEnvironment(server, config);
  return async (key: string | undefined, ip: string): Promise<TenantContext> => {
    if (key === undefined) throw unauthenticated("no_key");
    if (!isLookedUp(key)) {
      tellOther(key);
      throw unauthenticated("not_a_key");
    }
    const caller = await server.keys.verify(key, addressBlock(ip));
    if (!caller) throw unauthenticated("refused_key");
    return caller;
  };
}

/** Refuses targets and framing that two servers could read differently (RFC 9110 §9.3.1, RFC 9112 §3.2), before routing. */
async function refuseTricks(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-request-id", request.id);
  parseRequestTarget(request.raw.url ?? "");
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (/^(?:GET|HEAD)$/.test(request.method) && (coding !== undefined || length !== "0")) {
    throw new CodedError("BAD_REQUEST", `a ${request.method} request has no body`);
  }
}

function shareWithOthers(server: FastifyInstance, { env }: Config): FastifyInstance["shared"] {
  if (env.REDIS_URL === undefined) return undefined;
  const rates = createRedisRateStore(env.REDIS_URL, server.log);
  const revocations = new RevocationLog(env.REDIS_URL, server.log, server.keys, env.KEY_UNCONFIRMED_MS);
  server.addHook("onClose", async () => {
    rates.close();
    revocations.close();
  });
  return { rates, revocations };
}
