/**
 * The routes of `/v1/graphql`. POST executes operations. GET executes queries and sends the explorer to a browser. When
 * the client leaves, the request's scope ends its REST calls.
 */
import type { ApolloServer, GraphQLResponse } from "@apollo/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLError } from "graphql";
import { operations } from "../../generated/operations.ts";
import type { Config } from "../config.ts";
import { CodedError, overLimit } from "../errors.ts";
import { graphqlPath as path } from "../http/error-response.ts";
import { json, mediaTypeFor } from "../http/graphql-media-type.ts";
import { wantsHtml } from "../http/media-type.ts";
import { answerOptions } from "../http/options.ts";
import { RestClient, type Upstreams } from "../rest/client.ts";
import { credentialNames } from "../rest/credentials.ts";
import { headerForwarder } from "../rest/forwarded-headers.ts";
import { RequestScope } from "../rest/request-scope.ts";
import type { Rest } from "../rest/rest.ts";
import { processorMs } from "../rest/shares/processor-time.ts";
import { CallLog } from "./call-log.ts";
import { crossSiteFault } from "./cross-site.ts";
import type { Explorer } from "./explorer/explorer.ts";
import { answerExcess, textExcess } from "./limits/limits.ts";
import { Refusals } from "./limits/refusals.ts";
import { readParameters, readSearch, refusal, resultOf, statusOf } from "./over-http.ts";
import { throwForRefusedCredentials } from "./refused-credentials.ts";
import type { RequestContext } from "./request-context.ts";
import { requestedText } from "./saved/requested-text.ts";
import type { SavedOperations } from "./saved/saved-operations.ts";

export function routes(
  server: FastifyInstance,
  config: Config,
  apollo: ApolloServer<RequestContext>,
  upstreams: Upstreams,
  saved: SavedOperations,
  explorer: Explorer | undefined,
): void {
  const forward = headerForwarder(config, operations);
  const credentials = credentialNames(operations);
  const refusals = new Refusals();
  const savedOnly = config.env.OPERATIONS === "saved";
  const { GRAPHQL_GET: takesGet, MAX_OPERATIONS: maxOperations } = config.env;
  const execute = async (
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: unknown,
  ): Promise<FastifyReply> => {
    const isList = Array.isArray(parameters);
    if (isList && parameters.length > maxOperations) throw tooMany(maxOperations);
    const isBatch = isList && maxOperations > 1 && parameters.length > 0;
    if (mediaTypeFor(request.headers.accept) === undefined)
      return answer(request, reply, refusal("this client accepts no media type of GraphQL's", 406));
    const scope = new RequestScope(config, upstreams.shares, forward(request.headers, request.id));
    reply.raw.on("close", () => {
      if (!reply.raw.writableFinished) scope.leave();
    });
    const admission = scope.start();
    if (admission) await admission;
    if (reply.raw.destroyed) return reply;
    const log = explorer && request.headers["x-explain-calls"] === "1" ? new CallLog() : undefined;
    const rest = new RestClient(operations, upstreams, scope, log?.note) as unknown as Rest;
    const queriesOnly = request.method !== "POST";
    const contextValue = { rest, scope, requestId: request.id, log: request.log, queriesOnly };
    const run = (one: unknown): GraphQLResponse | Promise<GraphQLResponse> => {
      const asked = readParameters(one);
      if (typeof asked === "string") return refusal(asked);
      const excess = textExcess(config.env, asked.query ?? "");
      if (excess) return refused(excess);
      const query = requestedText(saved, savedOnly, asked);
      if (query instanceof CodedError) return refusal(query.message, query.status, { code: query.code });
      const { operationName, variables } = asked;
      return refusals.answer(query, contextValue, (context) =>
        apollo.executeOperation({ query, operationName, variables }, { contextValue: context }),
      );
    };
    try {
      const given = isBatch ? await Promise.all(parameters.map(run)) : await run(parameters);
      throwForRefusedCredentials([given].flat(), scope.hasCredentials);
      const began = processorMs();
      if (log) for (const one of [given].flat()) withCalls(one, log);
      const text = textOf(given, request.id);
      const excess = answerExcess(config.env, text);
      scope.worked(processorMs() - began);
      return excess ? answer(request, reply, refused(excess)) : answer(request, reply, given, text);
    } finally {
      scope.close();
    }
  };
  const refusedMethod = (reply: FastifyReply): CodedError => {
    reply.header("allow", takesGet ? "GET, POST" : "POST");
    const way = takesGet ? "by GET or POST" : "by POST (GRAPHQL_GET is off)";
    return new CodedError("METHOD_NOT_ALLOWED", `queries are sent ${way}`);
  };
  answerOptions(
    server,
    path,
    takesGet || !config.production ? ["GET", "HEAD", "POST", "OPTIONS"] : ["POST", "OPTIONS"],
  );
  server.post(path, (request, reply) => execute(request, reply, request.body));
  server.get(path, async (request, reply) => {
    if (explorer && wantsHtml(request.headers.accept)) return explorer.send(request, reply);
    if (!takesGet) throw refusedMethod(reply);
    const fault = crossSiteFault(request.headers, credentials);
    if (fault) return answer(request, reply, refusal(fault.message));
    return execute(request, reply, readSearch(request.query as Record<string, unknown>));
  });
  server.route({
    method: ["DELETE", "PATCH", "PUT", "TRACE"],
    url: path,
    handler: async (_request, reply) => {
      throw refusedMethod(reply);
    },
  });
}

const refused = ({ message, extensions }: GraphQLError): GraphQLResponse =>
  refusal(message, 400, { code: "LIMIT_EXCEEDED", ...extensions });

const tooMany = (limit: number): CodedError =>
  overLimit("MAX_OPERATIONS", limit, `a request may carry at most ${limit} operations`);

/** Adds `extensions.calls`: the REST calls of the whole HTTP request. */
function withCalls({ body }: GraphQLResponse, { calls }: CallLog): void {
  if (body.kind !== "single") return;
  body.singleResult.extensions = { ...body.singleResult.extensions, calls };
}

const textOf = (given: GraphQLResponse | GraphQLResponse[], id: string): string =>
  JSON.stringify(Array.isArray(given) ? given.map((one) => resultOf(one, id)) : resultOf(given, id));

/** Sends a response or a batch. A batch has the highest status of its responses. */
function answer(
  { id, headers: { accept } }: FastifyRequest,
  reply: FastifyReply,
  given: GraphQLResponse | GraphQLResponse[],
  text = textOf(given, id),
): FastifyReply {
  let status = 0;
  for (const response of Array.isArray(given) ? given : [given]) {
    for (const [name, value] of response.http.headers) reply.header(name, value);
    status = Math.max(status, statusOf(response, accept));
  }
  return reply
    .code(status)
    .header("content-type", mediaTypeFor(accept) ?? json)
    .header("cache-control", "private, no-store")
    .send(text);
}
