/**
 * The HTTP face every role shares: Fastify with bounded bodies and headers, request ids, `/healthz` and `/readyz`,
 * failures as `application/problem+json` (RFC 9457), and a stop that drains.
 */
import { randomUUID } from "node:crypto";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { CodedError, codeOfStatus, problemOf } from "../errors.ts";

export const problemType = "application/problem+json";

/** Makes one role's server; it does not listen yet. */
export function createServer(config: Config): FastifyInstance {
  const server = Fastify({
    logger: { level: config.env.LOG_LEVEL },
    disableRequestLogging: true,
    bodyLimit: config.env.MAX_BODY_BYTES,
    requestTimeout: config.env.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    genReqId: requestId,
    http: { maxHeaderSize: config.env.MAX_HEADER_BYTES },
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const coded = toCodedError(error);
    if (coded.status >= 500) request.log.error({ err: error }, "request failed");
    return sendProblem(reply, coded);
  });
  server.setNotFoundHandler((request, reply) =>
    sendProblem(reply, new CodedError("NOT_FOUND", `nothing at ${request.method} on this path`)),
  );
  let ready = true;
  server.addHook("preClose", async () => {
    ready = false;
  });
  server.get("/healthz", async () => ({ status: "ok" }));
  server.get("/readyz", async (_request, reply) => reply.code(ready ? 200 : 503).send({ status: ready ? "ok" : "stopping" }));
  return server;
}

type Reply = {
  code(status: number): Reply;
  header(name: string, value: string): Reply;
  type(type: string): Reply;
  send(payload: unknown): Reply;
};

/** Answers with problem details; a 401 says how to authenticate (RFC 9110 §11.6.1). */
export function sendProblem<R extends Reply>(reply: R, error: CodedError): R {
  if (error.status === 401) reply.header("www-authenticate", 'Bearer realm="api", ApiKey realm="api"');
  if (error.details.retryAfter) reply.header("retry-after", String(error.details.retryAfter));
  reply.code(error.status).header("cache-control", "private, no-store").type(problemType);
  reply.send(JSON.stringify(problemOf(error)));
  return reply;
}

/** Keeps a caller's request id when it is harmless, else makes one. */
function requestId(request: { headers: FastifyRequest["headers"] }): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

function toCodedError(error: FastifyError): CodedError {
  if (error instanceof CodedError) return error;
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return new CodedError("INTERNAL_SERVER_ERROR", "internal error", {}, error);
  if (status === 413) return new CodedError("LIMIT_EXCEEDED", "the request body is too large", { limit: "MAX_BODY_BYTES" });
  const code = codeOfStatus(status);
  return new CodedError(code === "UPSTREAM_ERROR" || code === "BAD_USER_INPUT" ? "BAD_REQUEST" : code, error.message, {}, error);
}
