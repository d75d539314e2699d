/**
 * The gateway role: the one way in. Every request under `/v1/` passes four phases: strip, introspect, inject,
 * forward. It knows no operation of the API; what a caller may do is decided behind it, by the context it injects.
 */
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { isWellFormed } from "../http/api-key.ts";
import { allowOrigins } from "../http/cors.ts";
import { readKey } from "../http/credentials.ts";
import { createServer } from "../http/server.ts";
import { createForward, methods } from "./forward.ts";
import { createInject } from "./inject.ts";
import { rememberKeys, type Verify } from "./key-cache.ts";
import { createLookUp } from "./key-introspection.ts";
import { clientLeft } from "./passage.ts";
import { createRateLimits } from "./rate-limit.ts";
import { Shares } from "./shares.ts";
import { type Headers, stripRequest } from "./strip.ts";
import { type Behind, findExplorer, findTarget, parseTarget } from "./target.ts";

/** Makes the gateway in front of `behind`; it does not listen yet, and closes its connections on close. */
export async function createGateway(config: Config, behind: Behind): Promise<FastifyInstance> {
  const server = createServer(config);
  const { lookUp, close: closeLookUp } = createLookUp(config, behind.keyIntrospection);
  const { forward, close: closeForward } = createForward(config);
  const verify = rememberKeys(lookUp);
  server.addHook("onClose", async () => void (await Promise.all([closeLookUp(), closeForward()])));
  server.addHook("onRequest", refuseTricks);
  passBodiesThrough(server);
  await allowOrigins(server, config.env.CORS_ORIGINS, methods);
  const limits = await createRateLimits(server, config);
  const shares = new Shares();
  const inject = createInject(config);

  server.route({
    method: methods,
    url: "/v1/*",
    handler: async (request, reply) => {
      await limits.byAddress(request, reply);
      const key = readKey(request.raw.rawHeaders);
      // a browser that shows a key is treated as any other caller
      const explorer =
        config.production || key !== undefined
          ? undefined
          : findExplorer(behind, request.method, request.raw.url ?? "", request.headers.accept);
      const target = explorer ?? findTarget(behind, request.raw.url ?? "");
      const stripped = stripRequest(config.env.CONTEXT_HEADER_PREFIX, request.headers);
      const caller = explorer ? undefined : await introspect(config, verify, key);
      if (caller) await limits.byKey(request, reply, caller.apiKeyId);
      if (reply.raw.destroyed) throw clientLeft(); // and would never give its share back
      shares.take(caller?.tenantId, reply);
      const headers = inject(stripped, request, caller);
      const body = request.body as Readable | undefined;
      await forward({
        target,
        method: request.method,
        headers,
        body,
        client: reply.raw,
        begin: (status, answered) => beginAnswer(reply, status, answered),
      });
      return reply;
    },
  });
  return server;
}

/** Phase 2: whose request it is. Throws UNAUTHENTICATED; what cannot be a key costs no look-up. */
async function introspect(config: Config, verify: Verify, key: string | undefined) {
  if (key === undefined) throw new CodedError("UNAUTHENTICATED", "an API key is needed");
  const caller = isWellFormed(config.env.API_ENVIRONMENT, key) ? await verify(key) : undefined;
  if (!caller) throw new CodedError("UNAUTHENTICATED", "the API key is not valid");
  return caller;
}

/** Before any route: targets and framing that two servers could read in two ways (RFC 9110 §9.3.1, RFC 9112 §3.2). */
async function refuseTricks(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-request-id", request.id);
  parseTarget(request.raw.url ?? "");
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (/^(?:GET|HEAD)$/.test(request.method) && (coding !== undefined || length !== "0")) {
    throw new CodedError("BAD_REQUEST", `a ${request.method} request has no body`);
  }
}

/** Bodies are streams that nobody here reads. */
function passBodiesThrough(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, body, done) => done(null, body));
}

/**
 * The answer's head, with what hooks have put on it. Answers belong to one caller unless the upstream says otherwise;
 * `Vary` keeps what CORS put there. From here on the answer is no longer Fastify's. A connection whose request nobody
 * reads to its end takes no other.
 */
function beginAnswer(reply: FastifyReply, status: number, answered: Headers): void {
  const own = reply.getHeaders() as Headers;
  const vary = [own.vary, answered.vary].flat().filter((value) => value !== undefined);
  const isLast = reply.server.unready.has("stopping") || !reply.request.raw.complete;
  reply.raw.writeHead(status, {
    "cache-control": "private, no-store",
    ...own,
    ...answered,
    ...(vary.length > 0 && { vary: vary.join(", ") }),
    ...(isLast && { connection: "close" }),
  });
  reply.hijack();
}
