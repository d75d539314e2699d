/**
 * Implements GraphQL over HTTP on top of Apollo's `executeOperation`: validates a request's parameters (§5) and chooses the
 * status of its response (§6.4).
 */
import { type GraphQLResponse, HeaderMap } from "@apollo/server";
import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import { isRecord, parsedJson } from "../../shared/json-object.ts";
import { CodedError } from "../coded-error.ts";
import type { CallEntry } from "./call-log.ts";
import type { Request } from "./saved/requested-text.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** Validates a request's parameters. A null parameter counts as absent. */
export function readParameters(given: unknown): Request | CodedError {
  if (!isRecord(given)) return malformed("a GraphQL request is a JSON object");
  for (const name of ["query", "operationName", "documentId"] as const)
    if (typeof (given[name] ?? "") !== "string") return malformed(`"${name}" must be a string`);
  for (const name of ["variables", "extensions"] as const)
    if (!isRecord(given[name] ?? {})) return malformed(`"${name}" must be an object`);
  const { query, operationName, documentId, variables, extensions } = given as Request;
  return {
    documentId: documentId ?? undefined,
    query: query ?? undefined,
    operationName: operationName ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

const malformed = (message: string): CodedError => new CodedError("BAD_REQUEST", message);

/** Parses the parameters of a GET (§5.3). Variables and extensions are JSON. An empty operation name counts as absent. */
export const readUrlParameters = (search: Parameters): Parameters => ({
  ...search,
  operationName: search.operationName || undefined,
  variables: parsed(search.variables),
  extensions: parsed(search.extensions),
});

/** Parses JSON; returns other text unchanged, so that `readParameters` refuses it. */
function parsed(given: unknown): unknown {
  const value = parsedJson(String(given));
  return value === undefined ? given : value;
}

export const responseWith = (singleResult: FormattedExecutionResult, status?: number): GraphQLResponse => ({
  http: { status, headers: new HeaderMap() },
  body: { kind: "single", singleResult },
});

/** Creates the response to a refused request. */
export const refusalResponse = (
  { message, code, details, status }: CodedError,
  statusOfHttp = status,
): GraphQLResponse => responseWith({ errors: [{ message, extensions: { code, ...details } }] }, statusOfHttp);

/**
 * Completes a response for one of the requests that share it: adds the request's id to each error, and `calls` as
 * `extensions.calls`. `errors` is the first member, so that people who read the response see it.
 */
export function requestResult(
  { body }: GraphQLResponse,
  requestId: string,
  calls?: readonly CallEntry[],
): FormattedExecutionResult {
  if (body.kind !== "single") throw new Error("a response in parts has several results");
  const { errors, data, extensions } = body.singleResult;
  return {
    errors: errors?.map((error) => withRequestId(error, requestId)),
    data,
    extensions: calls ? { ...extensions, calls } : extensions,
  };
}

export const withRequestId = (error: GraphQLFormattedError, requestId: string): GraphQLFormattedError => ({
  ...error,
  extensions: { ...error.extensions, requestId },
});

const documentErrorCodes = new Set<unknown>([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
  "LIMIT_EXCEEDED",
  "PERSISTED_QUERY_NOT_FOUND",
  "PERSISTED_QUERY_HASH_MISMATCH",
  "OPERATION_NOT_SAVED",
  "OPERATION_RESOLUTION_FAILURE",
]);

/** A client whose `Accept` begins with `application/json` expects the status 200 even for a refused document. */
export function responseStatus({ http, body }: GraphQLResponse, accept: string | undefined): number {
  const { status = 200 } = http;
  if (body.kind !== "single") return status;
  const { data, errors } = body.singleResult;
  const isForJson = accept !== undefined && /^\s*application\/json\b/i.test(accept);
  if (!isForJson) return status === 200 && data === undefined ? 400 : status;
  return status === 400 && documentErrorCodes.has(errors?.[0]?.extensions?.code) ? 200 : status;
}
