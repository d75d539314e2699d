/**
 * `/v1/graphql`: a request's way in and out. POST executes, GET shows the explorer to a browser (and executes queries
 * only where that is switched on). The client's leaving is carried to the REST calls.
 */
import { type ApolloServer, type GraphQLResponse, HeaderMap } from "@apollo/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { operations } from "../../generated/operations.ts";
import type { Config } from "../config.ts";
import { CodedError, overLimit } from "../errors.ts";
import { wantsHtml } from "../http/media-type.ts";
import { RestClient, type Upstreams } from "../rest/client.ts";
import { headerForwarder } from "../rest/forwarded-headers.ts";
import type { Rest } from "../rest/rest.ts";
import { Scope } from "../rest/scope.ts";
import { sendExplorer } from "./explorer.ts";
import { textExcess } from "./limits.ts";
import { json, mediaTypeFor, readParameters, readSearch, refusal, resultOf, statusOf } from "./over-http.ts";
import type { RequestContext } from "./request-context.ts";

const path = "/v1/graphql";

export function routes(
  server: FastifyInstance,
  config: Config,
  apollo: ApolloServer<RequestContext>,
  upstreams: Upstreams,
): void {
  const forward = headerForwarder(config);
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
    const scope = new Scope(config, forward(request.headers, request.id));
    reply.raw.on("close", () => {
      if (!reply.raw.writableFinished) scope.leave();
    });
    const rest = new RestClient(operations, upstreams, scope) as unknown as Rest;
    const contextValue = { rest, requestId: request.id, log: request.log };
    const http = request.method === "GET" ? byGet : undefined;
    const run = (one: unknown): GraphQLResponse | Promise<GraphQLResponse> => {
      const asked = readParameters(one);
      if (typeof asked === "string") return refusal(asked);
      const excess = textExcess(config.env, asked.query ?? "");
      if (excess) return refusal(excess.message, 400, { code: "LIMIT_EXCEEDED", ...excess.extensions });
      return apollo.executeOperation({ ...asked, http }, { contextValue });
    };
    return answer(request, reply, isBatch ? await Promise.all(parameters.map(run)) : await run(parameters));
  };
  const refusedMethod = (reply: FastifyReply): CodedError => {
    reply.header("allow", takesGet ? "GET, POST" : "POST");
    return new CodedError("METHOD_NOT_ALLOWED", "queries are sent by POST");
  };
  server.post(path, (request, reply) => execute(request, reply, request.body));
  server.get(path, async (request, reply) => {
    if (!config.production && wantsHtml(request.headers.accept)) return sendExplorer(request, reply);
    if (takesGet) return execute(request, reply, readSearch(request.query as Record<string, unknown>));
    throw refusedMethod(reply);
  });
  server.route({
    method: ["DELETE", "PATCH", "PUT", "TRACE"],
    url: path,
    handler: async (_request, reply) => {
      throw refusedMethod(reply);
    },
  });
}

/** Apollo refuses mutations that come this way. */
const byGet = { method: "GET", headers: new HeaderMap(), search: "", body: undefined };

const tooMany = (limit: number): CodedError =>
  overLimit("MAX_OPERATIONS", limit, `a request may carry at most ${limit} operations`);

/** A batch's status is its worst. */
function answer(
  { headers: { accept } }: FastifyRequest,
  reply: FastifyReply,
  given: GraphQLResponse | GraphQLResponse[],
): FastifyReply {
  let status = 0;
  for (const response of Array.isArray(given) ? given : [given]) {
    for (const [name, value] of response.http.headers) reply.header(name, value);
    status = Math.max(status, statusOf(response, accept));
  }
  const body = Array.isArray(given) ? given.map(resultOf) : resultOf(given);
  return reply
    .code(status)
    .header("content-type", mediaTypeFor(accept) ?? json)
    .header("cache-control", "private, no-store")
    .send(JSON.stringify(body));
}
