/**
 * Creates the HTTP server of each role: Fastify with limits for bodies and headers, request ids, `/healthz` and `/readyz`, error
 * responses in the format of the path, and a graceful stop.
 */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { CodedError } from "../coded-error.ts";
import { LogLines } from "../observe/log-lines.ts";
import { subscribe } from "../observe/observer.ts";
import { requestLog } from "../observe/request-log.ts";
import type { RequestRecord, ServerInfo } from "../observe/request-record.ts";
import { createSourceMapper } from "../observe/source-maps.ts";
import type { Config } from "../settings/config.ts";
import { secrets } from "../settings/environment.ts";
import type { resourceMetadata } from "../settings/token-settings.ts";
import { collectMethods } from "./allowed-methods.ts";
import { parseJsonBodies } from "./bodies/json-body.ts";
import { SlowBodies } from "./bodies/slow-bodies.ts";
import { closeSlowReaders } from "./bodies/slow-readers.ts";
import { checkHeaders } from "./check-headers.ts";
import { rejectUnlessComplete, respondToClientError, respondToConnect } from "./client-error.ts";
import { Connections, connectionsOf } from "./connections.ts";
import { refuseCodings } from "./content-coding.ts";
import { graphqlPath } from "./endpoint-paths.ts";
import { challengeOf, codedErrorOf, sendError } from "./error-response.ts";
import { recordRefusal, recordRequest } from "./record-requests.ts";
import { redactor } from "./redact.ts";
import { originForm } from "./request-target.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Reasons why `/readyz` returns 503; empty if the role is ready. `stopping` also makes responses close their connections. */
    unready: Set<string>;
    /** Problems that do not make the role unready. `/readyz` lists them in its response. */
    warnings: Set<string>;
    /** Usage and limit of each quota, for metrics. */
    quotas: Readonly<Record<string, { readonly used: number; readonly total: number }>>;
    mostConnections: number;
    /** The value of `WWW-Authenticate` in a 401. */
    challenge: string;
    /** Whether a response should close its connection because the server stops. */
    isLastAnswer: (socket: Socket) => boolean;
  }
  interface FastifyRequest {
    record: RequestRecord;
  }
}

/**
 * The API that a role serves. `credentials` are headers whose values are redacted in log lines. A 401 refers to `metadata`, the
 * protected resource metadata (RFC 9728).
 */
type Served = {
  readonly credentials?: readonly string[];
  readonly specHash?: string;
  readonly metadata?: ReturnType<typeof resourceMetadata>;
};

/** Creates the server of a role. The server does not listen yet. */
export function createServer(
  config: Config,
  role: ServerInfo["role"] = "metrics",
  { credentials = [], specHash, metadata }: Served = {},
): FastifyInstance {
  const redact = redactor(
    secrets.map((name) => config.env[name]?.toString()),
    credentials,
  );
  const nameSources = createSourceMapper();
  // takes effect only if a body is never read: when a slow body is read, `SlowBodies` ends it earlier
  const requestTimeout = config.env.REQUEST_TIMEOUT_MS + 5_000;
  const server = Fastify({
    logger: {
      level: config.env.LOG_LEVEL,
      hooks: {
        streamWrite: (line) => redact(nameSources(line)),
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.env.MAX_BODY_BYTES,
    rewriteUrl: originForm,
    requestTimeout,
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    genReqId: requestId,
    childLoggerFactory: (logger) => logger, // a child logger per request costs too much for the few lines that need the request id
    return503OnClosing: false, // requests that arrive during the stop are still answered
    trustProxy: config.env.TRUSTED_PROXIES.length > 0 ? [...config.env.TRUSTED_PROXIES] : false,
    clientErrorHandler: (error, socket) => {
      const connection = connections.get(socket as Socket);
      if (!connection) return; // the connection is already closed
      rejectUnlessComplete(error, connection, () => {
        const refusal = respondToClientError(error, socket, config.env, connection);
        if (refusal) recordRefusal(serverInfo, refusal, connection.socket.remoteAddress);
      });
    },
    // Fastify skips the hooks for a path that it cannot decode
    frameworkErrors: (_error, request, reply) => {
      sendError(reply, receive(request, reply) ?? malformedPath);
    },
    http: {
      maxHeaderSize: config.env.MAX_HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: config.env.REQUEST_TIMEOUT_MS,
      requestTimeout, // Fastify sets it after Node has compared `headersTimeout` with its own default of 300 s
      connectionsCheckingInterval: 1_000, // interval at which Node checks for requests that do not end
    },
  });
  server.removeContentTypeParser("text/plain"); // only JSON is supported
  parseJsonBodies(server);
  const serverInfo: ServerInfo = { role, log: new LogLines(server.log, config.env.ACCESS_LOG) };
  subscribe(requestLog);
  server.decorateRequest("record");
  const bodies = new SlowBodies(config.env);
  const unready = new Set<string>();
  const warnings = new Set<string>();
  const most = connectionsOf(config.roles.size);
  const warnFull = (): void => {
    if (serverInfo.log.mayWrite(`${role} connections`, { role }))
      server.log.warn({ role, most }, "too many connections: an idle one is closed");
  };
  const connections = new Connections(server.server, unready, most, warnFull);
  server.server.once("close", closeSlowReaders(connections, 2 * config.env.REQUEST_TIMEOUT_MS));
  server.server.on("connect", respondToConnect);
  // an unknown expectation may be ignored (RFC 9110 §10.1.1)
  server.server.on("checkExpectation", (request, response) =>
    server.server.emit("request", request, response),
  );
  answerErrors(server, config, serverInfo);
  const { isLastAnswer } = connections;
  server
    .decorate("quotas", {})
    .decorate("mostConnections", most)
    .decorate("unready", unready)
    .decorate("warnings", warnings)
    .decorate("challenge", challengeOf(metadata))
    .decorate("isLastAnswer", isLastAnswer);
  server.addHook("preClose", async () => {
    unready.add("stopping");
    bodies.stop();
    connections.closeUnfinished();
  });
  /** Called at the beginning of each request. Returns an error if the headers are invalid. */
  const receive = (request: FastifyRequest, reply: FastifyReply): CodedError | undefined => {
    recordRequest(serverInfo, reply, connections.get(request.raw.socket), config.env);
    reply.header("x-content-type-options", "nosniff");
    bodies.watch(request, reply);
    const fault = checkHeaders(request.raw, config.env.MAX_HEADERS);
    if (fault) reply.header("connection", "close"); // it is unclear where the request's body ends
    return fault;
  };
  server.addHook("onRequest", (request, reply, done) => done(receive(request, reply)));
  if (role !== "gateway") server.addHook("onRequest", refuseCodings); // the gateway forwards bodies to REST unchanged
  server.addHook("onSend", ({ raw }, reply, payload, done) => {
    if (isLastAnswer(raw.socket)) reply.header("connection", "close");
    done(null, payload);
  });
  server.get("/healthz", async () => ({ status: "ok", role, build: config.env.BUILD, spec: specHash }));
  server.get("/readyz", async (_request, reply) =>
    reply.code(unready.size === 0 ? 200 : 503).send({
      status: [...unready].join(", ") || "ok",
      ...(warnings.size > 0 && { warnings: [...warnings] }),
    }),
  );
  return server;
}

function answerErrors(server: FastifyInstance, { env, roles }: Config, { role, log }: ServerInfo): void {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const coded = codedErrorOf(error, env.MAX_BODY_BYTES);
    const isFault = coded.code === "INTERNAL_SERVER_ERROR";
    if (isFault && log.mayWrite(`${role} fault`, { role, code: coded.code }))
      request.log.error({ err: error, requestId: request.id }, "request failed");
    return sendError(reply, coded);
  });
  const knownPathOf = collectMethods(server);
  const hasGraphql = roles.has("graphql") || env.GRAPHQL_URL !== undefined;
  const isFront = role === "gateway" || role === "graphql";
  const elsewhere = hasGraphql && isFront ? `; GraphQL is at ${graphqlPath}` : "";
  const refusalOf = (request: FastifyRequest, reply: FastifyReply): CodedError => {
    const knownPath = knownPathOf(request);
    if (!knownPath)
      return new CodedError("NOT_FOUND", `no route for ${request.method} on this path${elsewhere}`);
    request.record.route = knownPath.route;
    reply.header("allow", knownPath.allow);
    return new CodedError("METHOD_NOT_ALLOWED", `this path supports ${knownPath.allow}`);
  };
  server.setNotFoundHandler((request, reply) => sendError(reply, refusalOf(request, reply)));
  // runs before the body is read, so that an invalid type or size of the body does not change the error
  server.addHook("preParsing", (request, reply, _payload, done) =>
    done(request.is404 ? refusalOf(request, reply) : null),
  );
}

/** Keeps the client's request id if it is harmless and contains no API key, because ids are logged. Generates an id otherwise. */
function requestId(request: { headers: FastifyRequest["headers"] }): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^(?!.*sk_)[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

const malformedPath = new CodedError("BAD_REQUEST", "the path is malformed");
