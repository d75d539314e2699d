/** Sends the response to a GraphQL request or to a batch of them. */
import type { GraphQLResponse } from "@apollo/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLFormattedError } from "graphql";
import type { Code } from "../../shared/error-codes.ts";
import { unauthenticated } from "../http/credentials.ts";
import { json, mediaTypeFor } from "../http/graphql-media-type.ts";
import type { RequestRecord } from "../observe/request-record.ts";
import type { CallEntry } from "./call-log.ts";
import { requestResult, responseStatus } from "./graphql-over-http.ts";

export type Responses = GraphQLResponse | GraphQLResponse[];

export const responseList = (given: Responses): readonly GraphQLResponse[] =>
  Array.isArray(given) ? given : [given];

export const isWithoutErrors = (given: Responses): boolean =>
  responseList(given).every(({ body }) => body.kind === "single" && body.singleResult.errors === undefined);

/** `calls`: the REST calls of the HTTP request. */
export function responseText(given: Responses, id: string, calls?: readonly CallEntry[]): string {
  const result = (one: GraphQLResponse) => requestResult(one, id, calls);
  return JSON.stringify(Array.isArray(given) ? given.map(result) : result(given));
}

export function noteError(record: RequestRecord, error: GraphQLFormattedError | undefined): void {
  const { extensions, path } = error ?? {};
  if (!extensions || record.code) return;
  record.code = extensions.code as Code;
  record.reason = extensions.limit as string | undefined;
  record.failedOperation = extensions.operation as string | undefined;
  record.failedPath = path?.join(".").slice(0, 200);
}

/** Sends one response, or a batch's list of responses. The status of a batch is the highest of its responses' statuses. */
export function sendResponses(
  { id, headers: { accept }, record }: FastifyRequest,
  reply: FastifyReply,
  given: Responses,
  text = responseText(given, id),
): FastifyReply {
  let status = 0;
  for (const response of responseList(given)) {
    for (const [name, value] of response.http.headers) reply.header(name, value);
    status = Math.max(status, responseStatus(response, accept));
    noteError(record, response.body.kind === "single" ? response.body.singleResult.errors?.[0] : undefined);
  }
  return sendText(accept, reply, text, status);
}

/** Sends `Cache-Control: private, no-store` unless the header is already set. */
export function sendText(
  accept: string | undefined,
  reply: FastifyReply,
  text: string,
  status = 200,
): FastifyReply {
  if (!reply.hasHeader("cache-control")) reply.header("cache-control", "private, no-store");
  return reply
    .code(status)
    .header("content-type", mediaTypeFor(accept) ?? json)
    .send(text);
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Wraps a handler that sends the reply itself. If it returned its promise, Fastify would add many listeners. */
export const rawHandler =
  (handle: Handler) =>
  (request: FastifyRequest, reply: FastifyReply): void =>
    void handle(request, reply).catch((error: Error) => reply.send(error));

/**
 * Throws UNAUTHENTICATED if REST has refused the credentials for every root field, so that the client gets a single 401, as from
 * a gateway. If keys are not introspected, only REST detects bad credentials. `headers`: the headers with credentials.
 */
export function throwForRefusedCredentials(
  responses: readonly GraphQLResponse[],
  hasCredentials: boolean,
  headers: readonly string[],
): void {
  if (responses.every(isRefused)) throw unauthenticated(hasCredentials ? "refused_key" : "no_key", headers);
}

function isRefused({ body }: GraphQLResponse): boolean {
  if (body.kind !== "single") return false;
  const { data, errors = [] } = body.singleResult;
  return (
    errors.length > 0 &&
    errors.every(({ extensions }) => extensions?.code === "UNAUTHENTICATED") &&
    Object.values(data ?? {}).every((value) => value === null)
  );
}
