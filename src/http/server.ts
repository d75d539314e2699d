/**
 * The HTTP face every role shares: Fastify with bounded bodies and headers, request ids, `/healthz` and `/readyz`,
 * failures as `application/problem+json` (RFC 9457), and a stop that drains.
 */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Config } from "../config.ts";
import { CodedError, codeOfStatus, overLimit, problemOf } from "../errors.ts";
import { answerClientError, answerConnect } from "./client-error.ts";
import { boundPipelining } from "./pipelining.ts";
import { redactor } from "./redact.ts";
import { headerFault } from "./request-headers.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Reasons why `/readyz` says 503; empty means ready. `stopping` also asks clients to leave their connections. */
    unready: Set<string>;
  }
}

const problemType = "application/problem+json";

/** Makes one role's server; it does not listen yet. */
export function createServer(config: Config): FastifyInstance {
  const server = Fastify({
    logger: { level: config.env.LOG_LEVEL, hooks: { streamWrite: redactor(config.env.GATEWAY_SECRET) } },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.env.MAX_BODY_BYTES,
    requestTimeout: config.env.REQUEST_TIMEOUT_MS,
    connectionTimeout: 2 * config.env.REQUEST_TIMEOUT_MS + 1_000, // a client that reads nothing of its answer is left
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    genReqId: requestId,
    childLoggerFactory: (logger) => logger, // a logger a request costs more than the few lines that want its id
    return503OnClosing: false, // a request that made it in while we drain is still answered
    trustProxy: config.env.TRUSTED_PROXIES.length > 0 ? [...config.env.TRUSTED_PROXIES] : false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, config.env),
    frameworkErrors: (_error, _request, reply) => answerMalformedPath(reply.raw),
    http: {
      maxHeaderSize: config.env.MAX_HEADER_BYTES,
      requireHostHeader: false,
      connectionsCheckingInterval: 5_000, // how late a request that never ends is found
    },
  });
  boundPipelining(server.server);
  server.server.on("connect", answerConnect);
  // an expectation that nobody knows may be ignored (RFC 9110 §10.1.1)
  server.server.on("checkExpectation", (request, response) =>
    server.server.emit("request", request, response),
  );
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const coded = toCodedError(error, config.env.MAX_BODY_BYTES);
    const isRefusal = coded.code === "SERVICE_UNAVAILABLE" && coded.cause === undefined; // as many as a flood likes
    if (coded.status >= 500 && !isRefusal)
      request.log.error({ err: error, requestId: request.id }, "request failed");
    return sendProblem(reply, coded);
  });
  server.setNotFoundHandler((request, reply) =>
    sendProblem(reply, new CodedError("NOT_FOUND", `nothing at ${request.method} on this path`)),
  );
  const unready = new Set<string>();
  server.decorate("unready", unready);
  server.addHook("preClose", async () => void unready.add("stopping"));
  server.addHook("onRequest", (request, _reply, done) =>
    done(headerFault(request.raw, config.env.MAX_HEADERS)),
  );
  server.addHook("onSend", (_request, reply, payload, done) => {
    if (unready.has("stopping")) reply.header("connection", "close");
    done(null, payload);
  });
  server.get("/healthz", async () => ({ status: "ok" }));
  server.get("/readyz", async (_request, reply) =>
    reply.code(unready.size === 0 ? 200 : 503).send({ status: [...unready].join(", ") || "ok" }),
  );
  return server;
}

/** Answers with problem details; a 401 says how to authenticate (RFC 9110 §11.6.1). */
export function sendProblem(reply: FastifyReply, error: CodedError): FastifyReply {
  if (error.status === 401) reply.header("www-authenticate", 'Bearer realm="api", ApiKey realm="api"');
  if (error.details.retryAfter) reply.header("retry-after", String(error.details.retryAfter));
  return reply
    .code(error.status)
    .header("cache-control", "private, no-store")
    .type(problemType)
    .send(JSON.stringify(problemOf(error)));
}

/** A path that does not decode never gets as far as a route or a hook. */
function answerMalformedPath(response: ServerResponse): void {
  const problem = problemOf(new CodedError("BAD_REQUEST", "the path is malformed"));
  response
    .writeHead(problem.status, { "content-type": problemType, "cache-control": "private, no-store" })
    .end(JSON.stringify(problem));
}

/** Keeps a caller's request id when it is harmless (and no API key: ids are logged), else makes one. */
function requestId(request: { headers: FastifyRequest["headers"] }): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^(?!.*sk_)[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

export const bodyTooLarge = (maxBytes: number): CodedError =>
  overLimit("MAX_BODY_BYTES", maxBytes, "the request body is too large");

function toCodedError(error: FastifyError, maxBodyBytes: number): CodedError {
  if (error instanceof CodedError) return error;
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500)
    return new CodedError("INTERNAL_SERVER_ERROR", "internal error", {}, error);
  if (status === 413) return bodyTooLarge(maxBodyBytes);
  const code = codeOfStatus(status);
  return new CodedError(
    code === "UPSTREAM_ERROR" || code === "BAD_USER_INPUT" ? "BAD_REQUEST" : code,
    error.message,
    {},
    error,
  );
}
