/**
 * The routes of `/v1/graphql`. POST executes operations. GET executes queries, and sends the explorer to a browser. When the
 * client disconnects, the request's scope aborts its REST calls.
 */
import type { GraphQLResponse } from "@apollo/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import { msPerSharedResponse, writtenPerMs } from "../governor/work-costs.ts";
import { contextHeaderNames } from "../http/context-headers.ts";
import { respondToOptions } from "../http/cors.ts";
import { graphqlPath as path } from "../http/endpoint-paths.ts";
import { mediaTypeFor, partFormatFor, wantsHtml } from "../http/graphql-media-type.ts";
import { clientNameOf } from "../observe/client-name.ts";
import type { CallerHeaders } from "../rest/caller-headers.ts";
import { RestClient, type Upstreams } from "../rest/client.ts";
import { credentialNames } from "../rest/credentials.ts";
import { RequestScope } from "../rest/request-scope.ts";
import type { Config } from "../settings/config.ts";
import { admissionOf } from "./admission.ts";
import type { Apollo } from "./apollo.ts";
import { collectCalls } from "./call-log.ts";
import type { Callers } from "./callers.ts";
import { csrfError } from "./csrf.ts";
import type { Explorer } from "./explorer/explorer.ts";
import { readUrlParameters, refusalResponse, responseWith } from "./graphql-over-http.ts";
import { responseLimitError } from "./plan/response-budget.ts";
import { requestBodies } from "./request-bodies.ts";
import { cacheStatusWriter } from "./response-cache/cache-status.ts";
import { QueryExecution } from "./response-cache/coalesced-query.ts";
import type { ResponseCache } from "./response-cache/response-cache.ts";
import { SharedResponse, setClientCaching } from "./response-cache/shared-response.ts";
import { sendParts } from "./response-in-parts.ts";
import { operationRunner } from "./run-operation.ts";
import type { SavedOperations } from "./saved/saved-operations.ts";
import {
  type Responses,
  rawHandler,
  responseList,
  responseText,
  sendResponses,
  sendText,
  throwForRefusedCredentials,
} from "./send-response.ts";

type ExecutedRequest = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly scope: RequestScope;
  readonly forwarded: CallerHeaders;
  readonly execution: QueryExecution | undefined;
  /** Returns the request's REST calls. Undefined unless the client asked for them with `x-explain-calls`. */
  readonly calls: ReturnType<typeof collectCalls> | undefined;
};

type RouteDependencies = {
  readonly apollo: Apollo;
  readonly upstreams: Upstreams;
  readonly callers: Callers;
  readonly answers: ResponseCache;
  readonly saved: SavedOperations;
  readonly explorer: Explorer | undefined;
};

export function routes(
  server: FastifyInstance,
  config: Config,
  { apollo, upstreams, callers, answers, saved, explorer }: RouteDependencies,
): void {
  const [tenantName = "", , keyName = ""] = contextHeaderNames(config.env.CONTEXT_HEADER_PREFIX);
  const credentials = credentialNames(upstreams.operations);
  const run = operationRunner(config, apollo, saved);
  const bodies = requestBodies(server);
  const { GRAPHQL_GET: takesGet } = config.env;
  const setCacheStatus = cacheStatusWriter(config);
  /** Sends a response without errors, or a 304 if the request is a GET and the client already has the response. */
  const send = (request: FastifyRequest, reply: FastifyReply, answer: SharedResponse): FastifyReply => {
    for (const [name, value] of answer.headers) reply.header(name, value);
    return request.method !== "POST" && setClientCaching(request, reply, answer, credentials)
      ? reply.code(304).send()
      : sendText(request.headers.accept, reply, answer.text);
  };
  const sendShared = (
    request: FastifyRequest,
    reply: FastifyReply,
    found: SharedResponse,
    scope: RequestScope,
  ): void => {
    const { record } = request;
    found.noteOn(record);
    scope.charge(msPerSharedResponse + found.text.length / writtenPerMs);
    if (found.failed) sendResponses(request, reply, found.failed);
    else send(request, reply, found);
  };
  const sendExecuted = (
    { request, reply, scope, forwarded, execution, calls }: ExecutedRequest,
    given: Responses,
  ): void => {
    callers.remember(request);
    throwForRefusedCredentials(responseList(given), forwarded.hasCredentials, credentials);
    let text = responseText(given, request.id, calls?.());
    const excess = responseLimitError(config.env.MAX_ANSWER_BYTES, text);
    scope.chargeText(text);
    if (excess) {
      given = refusalResponse(excess);
      text = responseText(given, request.id);
    }
    const answer = new SharedResponse(given, text, scope.freshUntil, request.record);
    if (!reply.raw.destroyed) execution?.end(answer);
    if (calls || answer.failed) sendResponses(request, reply, given, text);
    else send(request, reply, answer);
  };
  const execute = async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: (scope: RequestScope) => unknown,
  ): Promise<void> => {
    const acceptsParts = partFormatFor(request.headers.accept);
    if (mediaTypeFor(request.headers.accept) === undefined && !acceptsParts)
      return void sendResponses(request, reply, unacceptable());
    const { record } = request;
    const forwarded = callers.of(request);
    record.tenantId = own(forwarded.headers, tenantName);
    record.keyId = own(forwarded.headers, keyName);
    record.client = clientNameOf(request.headers);
    const admission = admissionOf(request);
    const scope = new RequestScope(config, upstreams.shares, forwarded, admission);
    admission.execute(scope);
    const calls = explorer && request.headers["x-explain-calls"] === "1" ? collectCalls(record) : undefined;
    const find = () => (calls ? undefined : answers.find(request, scope));
    let found: ReturnType<typeof find>;
    try {
      const charged = bodies.charge(scope, request);
      if (charged) await charged;
      found = find();
      const isShared = found instanceof Promise;
      if (found instanceof Promise) found = await found;
      const turn = scope.turn();
      if (turn) await turn; // identical queries can start to wait for this request in the meantime
      if (reply.raw.destroyed) return;
      if (turn && found instanceof SharedResponse && !isShared) found = await find(); // the response may have become stale
      if (found instanceof SharedResponse) {
        setCacheStatus(reply, isShared ? "fwd=miss; collapsed" : `hit; ttl=${found.freshSeconds}`);
        return sendShared(request, reply, found, scope);
      }
      const client = new RestClient(upstreams, scope, record);
      const given = await run(read(scope), {
        request,
        scope,
        rest: client,
        execution: found,
        partFormat: acceptsParts,
      });
      const isWrite = record.operationType !== undefined && record.operationType !== "query";
      setCacheStatus(reply, isWrite ? "fwd=method" : calls ? "fwd=bypass" : "fwd=miss");
      admission.place?.leave(); // lets another request start in this tick
      if (!Array.isArray(given) && given.body.kind === "incremental" && acceptsParts) {
        callers.remember(request);
        const first = [responseWith(given.body.initialResult)];
        throwForRefusedCredentials(first, forwarded.hasCredentials, credentials);
        for (const [name, value] of given.http.headers) reply.header(name, value);
        const limit = config.env.MAX_ANSWER_BYTES;
        return await sendParts(reply, given.body, { format: acceptsParts, limit, scope, admission, calls });
      }
      sendExecuted({ request, reply, scope, forwarded, execution: found, calls }, given);
    } catch (error) {
      if (found instanceof QueryExecution && !reply.raw.destroyed) found.end(error as Error);
      throw error;
    } finally {
      admission.place?.leave();
      if (found instanceof QueryExecution) found.end();
      scope.close();
    }
  };
  const refusedMethod = (reply: FastifyReply): CodedError => {
    reply.header("allow", takesGet ? "GET, POST" : "POST");
    const way = takesGet ? "by GET or POST" : "by POST (GRAPHQL_GET is off)";
    return new CodedError("METHOD_NOT_ALLOWED", `queries are sent ${way}`);
  };
  respondToOptions(server, config);
  const post = rawHandler((request, reply) =>
    execute(request, reply, (scope) => bodies.parse(scope, request)),
  );
  server.post(path, post);
  server.get(
    path,
    rawHandler(async (request, reply) => {
      if (explorer && wantsHtml(request.headers.accept)) return explorer(reply);
      if (!takesGet) throw refusedMethod(reply);
      const fault = csrfError(request.headers, credentials);
      if (fault) return void sendResponses(request, reply, refusalResponse(fault));
      return execute(request, reply, () => readUrlParameters(request.query as Record<string, unknown>));
    }),
  );
}

const unacceptable = (): GraphQLResponse =>
  refusalResponse(
    new CodedError("BAD_REQUEST", "the Accept header allows no media type of a GraphQL response"),
    406,
  );
