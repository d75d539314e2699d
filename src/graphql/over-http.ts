/**
 * GraphQL over HTTP, around Apollo's `executeOperation`: what a request asks to execute (§5), the media type of its
 * answer (§6.1) and the status (§6.4).
 */
import { type GraphQLRequest, type GraphQLResponse, HeaderMap } from "@apollo/server";
import type { FormattedExecutionResult, GraphQLErrorExtensions } from "graphql";
import Negotiator from "negotiator";
import { isPlainObject } from "./plan/complete.ts";

export const json = "application/json; charset=utf-8";
const mediaTypes = [json, "application/graphql-response+json; charset=utf-8"];

/** The media type that suits a client best; `undefined` when it accepts none. */
export const mediaTypeFor = (accept: string | undefined): string | undefined =>
  accept === undefined || accept === "application/json" || accept === "*/*"
    ? json
    : new Negotiator({ headers: { accept } }).mediaType(mediaTypes);

type Parameters = Readonly<Record<string, unknown>>;

/** The operation that a request's parameters ask for, null counting as absent; or why they cannot. */
export function readParameters(given: unknown): GraphQLRequest | string {
  if (!isPlainObject(given)) return "a GraphQL request is a JSON object";
  for (const name of ["query", "operationName"])
    if (typeof (given[name] ?? "") !== "string") return `"${name}" must be a string`;
  for (const name of ["variables", "extensions"])
    if (!isPlainObject(given[name] ?? {})) return `"${name}" must be an object`;
  const { query, operationName, variables, extensions } = given as GraphQLRequest;
  return {
    query: query ?? undefined,
    operationName: operationName ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

/** The parameters of a GET: its variables and extensions are JSON. */
export const readSearch = (search: Parameters): Parameters => ({
  ...search,
  variables: parsed(search.variables),
  extensions: parsed(search.extensions),
});

/** What is not JSON stays text, which is refused as text. */
function parsed(value: unknown): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return value;
  }
}

/** The answer to a request that cannot be executed. */
export const refusal = (
  message: string,
  status = 400,
  extensions: GraphQLErrorExtensions = {},
): GraphQLResponse => ({
  http: { status, headers: new HeaderMap() },
  body: {
    kind: "single",
    singleResult: { errors: [{ message, extensions: { code: "BAD_REQUEST", ...extensions } }] },
  },
});

/** A response's result; errors come first, for those who read it. */
export function resultOf({ body }: GraphQLResponse): FormattedExecutionResult {
  if (body.kind !== "single") throw new Error("an incremental response, which graphql-js 16 does not give");
  const { errors, data, extensions } = body.singleResult;
  return { errors, data, extensions };
}

const ofTheDocument = new Set<unknown>([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
  "LIMIT_EXCEEDED",
  "OPERATION_RESOLUTION_FAILURE",
]);

/**
 * The status of a response. A client that asks first for `application/json`, and by name, takes any other status than
 * 200 for an answer that is not GraphQL, so that is what a document that fails is to it.
 */
export function statusOf({ http, body }: GraphQLResponse, accept: string | undefined): number {
  const { status = 200 } = http;
  if (body.kind !== "single") return status;
  const { data, errors } = body.singleResult;
  const isForJson = accept !== undefined && /^\s*application\/json\b/i.test(accept);
  if (!isForJson) return status === 200 && data === undefined ? 400 : status; // Apollo refuses a persisted query with 200
  return status === 400 && ofTheDocument.has(errors?.[0]?.extensions?.code) ? 200 : status;
}
