/**
 * `/v1/graphql`: a request's way in and out. POST executes, GET shows the explorer to a browser (and executes queries
 * only where that is switched on). The client's leaving is carried to the REST calls.
 */
import { type ApolloServer, HeaderMap } from "@apollo/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { operations } from "../../generated/operations.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { RestClient, type Upstreams } from "../rest/client.ts";
import { headerForwarder } from "../rest/forwarded-headers.ts";
import type { Rest } from "../rest/rest.ts";
import { Scope } from "../rest/scope.ts";
import { sendExplorer, wantsPage } from "./explorer.ts";
import type { RequestContext } from "./request-context.ts";
import { asksForJson } from "./status.ts";

const path = "/v1/graphql";
/** The headers that Apollo looks at. */
const apolloHeaders = ["content-type", "accept", "apollo-require-preflight", "x-apollo-operation-name"];

export function routes(
  server: FastifyInstance,
  config: Config,
  apollo: ApolloServer<RequestContext>,
  upstreams: Upstreams,
): void {
  const forward = headerForwarder(config);
  const { MAX_OPERATIONS: maxOperations } = config.env;
  const execute = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (Array.isArray(request.body) && request.body.length > maxOperations) throw tooMany(maxOperations);
    const scope = new Scope(config, forward(request.headers, request.id));
    reply.raw.on("close", () => {
      if (!reply.raw.writableFinished) scope.leave();
    });
    const rest = new RestClient(operations, upstreams, scope) as unknown as Rest;
    const context = {
      rest,
      requestId: request.id,
      log: request.log,
      asksForJson: asksForJson(request.headers.accept),
    };
    return answer(apollo, request, reply, context);
  };
  server.post(path, execute);
  server.get(path, async (request, reply) => {
    if (!config.production && wantsPage(request)) return sendExplorer(request, reply);
    if (config.env.GRAPHQL_GET) return execute(request, reply);
    reply.header("allow", "POST");
    throw new CodedError("METHOD_NOT_ALLOWED", "queries are sent by POST");
  });
  server.route({
    method: ["DELETE", "PATCH", "PUT", "TRACE"],
    url: path,
    handler: async (_request, reply) => {
      reply.header("allow", config.env.GRAPHQL_GET ? "GET, POST" : "POST");
      throw new CodedError("METHOD_NOT_ALLOWED", "queries are sent by POST");
    },
  });
}

const tooMany = (value: number): CodedError =>
  new CodedError("LIMIT_EXCEEDED", `a request may carry at most ${value} operations`, {
    limit: "MAX_OPERATIONS",
    value,
  });

async function answer(
  apollo: ApolloServer<RequestContext>,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
): Promise<FastifyReply> {
  const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers: headerMap(request),
      body: request.body,
      search: searchOf(request.url),
    },
    context: async () => context,
  });
  for (const [name, value] of headers) if (name !== "content-length") reply.header(name, value);
  reply.header("cache-control", "private, no-store");
  return reply.code(status ?? 200).send(body.kind === "complete" ? body.string : "");
}

/** What these clients accept is what a client without the header gets, and Apollo need not negotiate. */
const plainJson = new Set(["application/json", "*/*"]);

function headerMap({ headers }: FastifyRequest): HeaderMap {
  const map = new HeaderMap();
  for (const name of apolloHeaders) {
    const value = headers[name];
    if (typeof value === "string" && !(name === "accept" && plainJson.has(value))) map.set(name, value);
  }
  return map;
}

const searchOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at);
};
