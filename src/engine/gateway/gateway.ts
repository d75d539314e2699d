/**
 * The gateway role, the only public entry point. Every request under `/v1/` passes four phases: introspect, strip, inject,
 * forward. Of the API's OpenAPI document, the gateway knows only the header names. The services behind the gateway authorize the
 * caller by the context headers that the gateway injects.
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
import { graphqlPath, mcpMethods, mcpPath } from "../runtime/http/endpoint-paths.ts";
import { createServer } from "../runtime/http/server.ts";
import { credentialNames } from "../runtime/rest/credentials.ts";
import type { GeneratedApi } from "../runtime/rest/generated-api.ts";
import type { Config } from "../runtime/settings/config.ts";
import type { RedisAddress } from "../runtime/settings/redis-address.ts";
import { initialScopes, resourceMetadata, tokenSettings } from "../runtime/settings/token-settings.ts";
import { createForward, forwardedMethods } from "./forward.ts";
import { createInject } from "./inject.ts";
import { KeyFile } from "./key-file.ts";
import { createKeyIntrospection } from "./key-introspection.ts";
import { KeyVerifier } from "./key-verifier.ts";
import { keylessRequest, mayBeKeyless } from "./keyless.ts";
import { warnOfKeyEnvironment, warnOfUntrustedProxy } from "./misconfiguration-warnings.ts";
import { createRateLimits } from "./rate-limit.ts";
import { createRedisRateStore, type RedisRateStore } from "./redis-rate-store.ts";
import { type RevocationListener, RevocationLog } from "./revocation-log.ts";
import { forwardedHeaderNames, stripRequest } from "./strip.ts";
import { TenantConcurrency } from "./tenant-concurrency.ts";
import type { TokenVerifier } from "./token-verifier.ts";
import { type Backends, findRoute, parseRequestTarget, type UpstreamRoute } from "./upstream-route.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Undefined without key introspection. */
    keys: KeyVerifier | undefined;
    /** Undefined without `KEYS_FILE`. */
    keyFile: KeyFile | undefined;
    /** Undefined unless access tokens are configured. */
    tokens: TokenVerifier | undefined;
    /** State that all gateways share in Redis. Undefined without `REDIS_URL`. */
    shared: { readonly rates: RedisRateStore; readonly revocations: RevocationLog } | undefined;
  }
  interface FastifyRequest {
    /** The route and the caller of an admitted request. `caller` is undefined for a request without a key. */
    admitted: { readonly route: UpstreamRoute; readonly caller: TenantContext | undefined };
  }
}

/** Creates the gateway's server without listening. Closing the server closes its connections to the `backends`. */
export async function createGateway(
  config: Config,
  backends: Backends,
  { operations, requestHeaders, specHash }: Pick<GeneratedApi, "operations" | "requestHeaders" | "specHash">,
): Promise<FastifyInstance> {
  const credentials = credentialNames(operations);
  const metadata = resourceMetadata(config.env, initialScopes(operations));
  const server = createServer(config, "gateway", { credentials, specHash, metadata });
  const forwarded = forwardedHeaderNames(config.env.CONTEXT_HEADER_PREFIX, [
    ...credentials,
    ...requestHeaders,
  ]);
  const { forward, close: closeForward } = createForward(config, metadata?.url);
  server.decorate("keys", createKeyVerifier(server, config, backends.keyIntrospection));
  const { KEYS_FILE: file } = config.env;
  server.decorate("keyFile", file === undefined ? undefined : new KeyFile(file, config.env, server.log));
  const tokens = await createTokenVerifier(server, config);
  server.decorate("tokens", tokens).decorateRequest("admitted");
  server.addHook("onClose", async () => void (await Promise.all([closeForward(), tokens?.keys.close()])));
  server.addHook("onRequest", rejectAmbiguous);
  if (config.env.TRUSTED_PROXIES.length === 0) server.addHook("onRequest", warnOfUntrustedProxy());
  // the server buffers a request's body before it uses an upstream connection, so that a slow client does not occupy a connection
  leaveBodiesUnparsed(server);
  await allowOrigins(server, config.env.CORS_ORIGINS, forwardedMethods);
  if (config.env.MCP) guardMcp(server, config.env.CORS_ORIGINS);
  server.decorate("shared", connectRedis(server, config));
  const limits = createRateLimits(config, server.shared?.rates);
  const concurrency = new TenantConcurrency(config.env.MAX_BODY_BYTES);
  server.quotas = { gateway_requests: concurrency.requests, bodies: concurrency.bodies };
  const introspect = createIntrospect(server, config);
  const inject = createInject(config);

  if (backends.graphql) respondToOptions(server, config);
  else server.allow.set(graphqlPath, "");
  server.allow.set(mcpPath, backends.mcp ? mcpMethods : "");
  for (const path of metadata?.paths ?? [])
    server.get(path, { onRequest: limits.byAddress }, async () => metadata?.content);
  server.route({
    method: forwardedMethods,
    url: "/v1/*",
    // these checks run before the body is read
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
      if (reply.raw.destroyed) throw clientDisconnected(); // `ended` would never be called after the close event
      const ended = concurrency.acquire(caller?.tenantId, outgoing.body?.length);
      await forward({ ...outgoing, headers: inject(headers, request, caller) }, reply, ended);
      return reply;
    },
  });
  return server;
}

/**
 * Records the route before any check, so that the log and metrics distinguish rejected GraphQL requests from rejected REST calls.
 */
function noteRoute({ record, raw: { url = "" } }: FastifyRequest): void {
  const path = url.replace(/\?.*/s, "");
  if (path === graphqlPath || path === mcpPath) record.route = path;
}

function noteCaller({ record, admitted: { caller } }: FastifyRequest): void {
  record.keyId = caller?.apiKeyId;
  record.tenantId = caller?.tenantId;
}

/** Phase 1: finds the caller of a request, or throws UNAUTHENTICATED. Rejects malformed keys without a lookup. */
function createIntrospect(server: FastifyInstance, config: Config) {
  const isLookedUp = createKeyTest(config.env);
  const warnOfOther = warnOfKeyEnvironment(server, config);
  return async (key: string | undefined, ip: string): Promise<TenantContext> => {
    if (key === undefined) throw unauthenticated("no_key");
    const owner = (await server.tokens?.verify(key)) ?? server.keyFile?.find(key);
    if (owner) return owner;
    if (!isLookedUp(key)) {
      warnOfOther(key);
      throw unauthenticated("not_a_key");
    }
    const caller = await server.keys?.verify(key, addressBlock(ip));
    if (!caller) throw unauthenticated("refused_key");
    return caller;
  };
}

/** Rejects request targets and framing that two servers could read differently (RFC 9110 §9.3.1, RFC 9112 §3.2). */
async function rejectAmbiguous(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-request-id", request.id);
  parseRequestTarget(request.raw.url ?? "");
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (/^(?:GET|HEAD)$/.test(request.method) && (coding !== undefined || length !== "0")) {
    throw new CodedError("BAD_REQUEST", `a ${request.method} request must not have a body`);
  }
}

function connectRedis(server: FastifyInstance, { env }: Config): FastifyInstance["shared"] {
  const first = env.REDIS_URL;
  if (first === undefined) return undefined;
  const addressOf = (): RedisAddress => env.REDIS_URL ?? first;
  const rates = createRedisRateStore(addressOf, server.log);
  const revocations = new RevocationLog(addressOf, server.log, listenerOf(server), env.KEY_UNCONFIRMED_MS);
  server.addHook("onClose", async () => {
    rates.close();
    revocations.close();
  });
  return { rates, revocations };
}

function listenerOf({ keys, tokens }: FastifyInstance): RevocationListener {
  const listeners: readonly RevocationListener[] = [keys, tokens?.revoked].filter(
    (each) => each !== undefined,
  );
  return {
    forget: (ids) => listeners.forEach((each) => void each.forget(ids)),
    confirm: (at) => listeners.forEach((each) => void each.confirm(at)),
    miss: (completeSince) => listeners.forEach((each) => void each.miss(completeSince)),
  };
}

function createKeyVerifier(
  server: FastifyInstance,
  config: Config,
  service: URL | undefined,
): KeyVerifier | undefined {
  if (!service) return undefined;
  const { lookUp, close } = createKeyIntrospection(config, service);
  server.addHook("onClose", close);
  // 95 % of the time limit, so that the 503 after a timeout reaches the client within the limit
  const lookUpMs = Math.ceil(config.env.KEY_INTROSPECTION_TIMEOUT_MS * 0.95);
  return new KeyVerifier(lookUp, lookUpMs, config.env);
}

/** Loads `jose` only if access tokens are configured. */
async function createTokenVerifier(
  { log }: FastifyInstance,
  config: Config,
): Promise<TokenVerifier | undefined> {
  const settings = tokenSettings(config.env);
  if (!settings) return undefined;
  const { TokenVerifier } = await import("./token-verifier.ts");
  return new TokenVerifier(settings, config, log);
}
