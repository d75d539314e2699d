/**
 * The gateway role: the one way in. Every request under `/v1/` passes four phases: strip, introspect, inject,
 * forward. The gateway knows only the names of request headers from the API's document. The services behind it decide
 * what a caller may do, by the context that the gateway injects.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { CodedError, clientLeft } from "../errors.ts";
import { addressBlock } from "../http/address-block.ts";
import { keyTest } from "../http/api-key.ts";
import type { TenantContext } from "../http/context-headers.ts";
import { allowOrigins, answerOptions, guardMcp } from "../http/cors.ts";
import { keyHeaders, readKey, unauthenticated } from "../http/credentials.ts";
import { graphqlPath } from "../http/error-response.ts";
import { createServer } from "../http/server.ts";
import { addVary } from "../http/vary.ts";
import type { GeneratedApi } from "../rest/api.ts";
import { credentialNames } from "../rest/credentials.ts";
import { createForward, methods } from "./forward.ts";
import { createInject } from "./inject.ts";
import { createKeyIntrospection } from "./key-introspection.ts";
import { createKeyVerifier, KeyChecks, type VerifyKey } from "./key-verifier.ts";
import { keylessReader } from "./keyless.ts";
import { createRateLimits } from "./rate-limit.ts";
import { readBody } from "./read-body.ts";
import type { SharedEngine } from "./shared-engine.ts";
import { forwardedNames, type Headers, ownCacheControl, stripRequest } from "./strip.ts";
import { warnOfOtherKeys, warnOfProxy } from "./telling-requests.ts";
import { TenantConcurrency } from "./tenant-concurrency.ts";
import { type Backends, findRoute, parseRequestTarget, type UpstreamRoute } from "./upstream-route.ts";

declare module "fastify" {
  interface FastifyInstance {
    keyChecks: KeyChecks;
    /** With `REDIS_URL`: whether gateways count together now. */
    sharesCounts: (() => boolean) | undefined;
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
  const forwarded = forwardedNames(config.env.CONTEXT_HEADER_PREFIX, [...credentials, ...requestHeaders]);
  const { lookUp, close: closeLookUp } = createKeyIntrospection(config, backends.keyIntrospection);
  const { forward, close: closeForward } = createForward(config);
  const checks = new KeyChecks();
  const tellOther = warnOfOtherKeys(server, config);
  const isLookedUp = keyTest(config.env);
  server.decorate("keyChecks", checks).decorate("sharesCounts", undefined);
  // a look-up has 95 % of the time, so that a 503 reaches the client within the whole of it
  const lookUpMs = Math.ceil(config.env.KEY_INTROSPECTION_TIMEOUT_MS * 0.95);
  const verify = createKeyVerifier(lookUp, lookUpMs, checks, config.env);
  server.addHook("onClose", async () => void (await Promise.all([closeLookUp(), closeForward()])));
  server.addHook("onRequest", refuseTricks);
  if (config.env.TRUSTED_PROXIES.length === 0) server.addHook("onRequest", warnOfProxy());
  passBodiesThrough(server);
  await allowOrigins(server, config.env.CORS_ORIGINS, methods);
  if (config.env.MCP) guardMcp(server, config.env.CORS_ORIGINS);
  const shared = await shareWithOthers(server, config, checks);
  const limits = await createRateLimits(server, config, shared);
  const concurrency = new TenantConcurrency(config.env.MAX_BODY_BYTES);
  server.bounds = { gateway_requests: concurrency.requests, bodies: concurrency.bodies };
  const inject = createInject(config);
  const readKeyless = keylessReader(config, backends);

  if (backends.graphql) answerOptions(server, config);
  server.route({
    method: "TRACE",
    url: "/v1/*",
    handler: async (_request, reply) => {
      reply.header("allow", methods.join(", "));
      throw new CodedError("METHOD_NOT_ALLOWED", "nothing here answers to TRACE");
    },
  });
  server.route({
    method: methods,
    url: "/v1/*",
    handler: async (request, reply) => {
      await limits.byAddress(request, reply);
      const key = readKey(request.raw.rawHeaders);
      // a request with a key is treated as any other
      const open = key === undefined ? await readKeyless(request) : undefined;
      const route = open?.route ?? findRoute(backends, request.raw.url ?? "");
      const stripped = open?.headers ?? stripRequest(forwarded, request.headers);
      const caller = open ? undefined : await introspect(isLookedUp, verify, tellOther, key, request.ip);
      noteCaller(request, route, caller);
      if (caller) await limits.byKey(request, reply);
      const body = open ? open.body : await bodyOf(request, config);
      if (reply.raw.destroyed) throw clientLeft(); // its connection, closed already, would never give the share back
      const ended = concurrency.acquire(caller?.tenantId, body?.length);
      const headers = inject(stripped, request, caller);
      await forward({
        route,
        method: request.method,
        headers,
        body,
        client: reply.raw,
        begin: (status, answered) => beginAnswer(reply, status, answered),
        breakOff: (failure) => request.record.breakOff(failure),
        ended,
      });
      return reply;
    },
  });
  return server;
}

function noteCaller(
  { record }: FastifyRequest,
  route: UpstreamRoute,
  caller: TenantContext | undefined,
): void {
  if (route.path.endsWith(graphqlPath)) record.route = graphqlPath;
  record.keyId = caller?.apiKeyId;
  record.tenantId = caller?.tenantId;
}

/** Phase 2: returns the caller of a request. Throws UNAUTHENTICATED. A text that cannot be a key costs no look-up. */
async function introspect(
  isLookedUp: (key: string) => boolean,
  verify: VerifyKey,
  tellOther: ReturnType<typeof warnOfOtherKeys>,
  key: string | undefined,
  ip: string,
) {
  if (key === undefined) throw unauthenticated("no_key");
  if (!isLookedUp(key)) {
    tellOther(key);
    throw unauthenticated("not_a_key");
  }
  const caller = await verify(key, addressBlock(ip));
  if (!caller) throw unauthenticated("refused_key");
  return caller;
}

const bodyOf = async ({ body, raw }: FastifyRequest, { env }: Config): Promise<Buffer | null> =>
  body ? readBody(raw, env.MAX_BODY_BYTES) : null;

/** Refuses targets and framing that two servers could read differently (RFC 9110 §9.3.1, RFC 9112 §3.2), before routing. */
async function refuseTricks(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-request-id", request.id);
  parseRequestTarget(request.raw.url ?? "");
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (/^(?:GET|HEAD)$/.test(request.method) && (coding !== undefined || length !== "0")) {
    throw new CodedError("BAD_REQUEST", `a ${request.method} request has no body`);
  }
}

/** Connects to the engine of `REDIS_URL`, whose module is loaded only then. Returns its store of counts. */
async function shareWithOthers(
  server: FastifyInstance,
  { env }: Config,
  checks: KeyChecks,
): Promise<SharedEngine["store"] | undefined> {
  if (env.REDIS_URL === undefined) return undefined;
  const { connectSharedEngine } = await import("./shared-engine.ts");
  const { store, isUp, close } = connectSharedEngine(env.REDIS_URL, server.log, (id) => checks.forget(id));
  server.sharesCounts = isUp;
  server.addHook("onClose", async () => close());
  return store;
}

/** The gateway parses no body. It reads a body only after it has verified the request's key. */
function passBodiesThrough(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, body, done) => done(null, body));
}

/**
 * Writes the status and the headers of the answer, with the headers that hooks have set. An answer that may be kept is kept
 * for its key alone: a browser's cache, too, outlives a change of keys. Fastify leaves the answer alone afterwards.
 */
function beginAnswer(reply: FastifyReply, status: number, { vary = [], ...answered }: Headers): void {
  const control = ownCacheControl(answered["cache-control"]);
  const names = new Set([vary].flat().flatMap((text) => text.toLowerCase().match(/[^\s,]+/g) ?? []));
  if (!control.includes("no-store")) for (const name of keyHeaders) names.add(name);
  addVary(reply, ...names);
  const isLast = reply.server.isLastAnswer(reply.request.raw.socket);
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as Headers),
    ...answered,
    "cache-control": control,
    ...(isLast && { connection: "close" }),
  });
  reply.hijack();
}
