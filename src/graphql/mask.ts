/**
 * What of a failure a client may see: a coded error as it is, GraphQL's own request errors as they are, a value that
 * breaks the REST contract as `BAD_UPSTREAM_RESPONSE`, and anything else as `INTERNAL_SERVER_ERROR`.
 */
import { unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { type Code, CodedError, codes } from "../errors.ts";

/** Apollo's `formatError`, and the plan's. */
export function mask(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { message, locations, path } = formatted;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  const original = unwrapResolverError(error);
  if (original instanceof CodedError) {
    return { message: original.message, ...place, extensions: { code: original.code, ...original.details } };
  }
  if (message.includes("Document contains more tha")) return tooManyTokens(message, place);
  if (path) return { ...(contractBroken(original) ? broken : internal), ...place };
  const { code, limit, value } = formatted.extensions ?? {};
  const known =
    typeof code === "string" && code !== "INTERNAL_SERVER_ERROR" && code in codes
      ? (code as Code)
      : undefined;
  if (!known) return { ...internal, ...place };
  return { message, ...place, extensions: { code: known, ...(limit !== undefined && { limit, value }) } };
}

const broken = {
  message: "REST sent a value that breaks its contract",
  extensions: { code: "BAD_UPSTREAM_RESPONSE" },
};
const internal = { message: "internal error", extensions: { code: "INTERNAL_SERVER_ERROR" } };

/** graphql-js completes values itself: what it cannot complete came from REST. */
const contractBroken = (error: unknown): boolean =>
  error instanceof GraphQLError ||
  (error instanceof Error &&
    /^(Cannot return null|Expected |\w+ has no (value|member) )/.test(error.message));

function tooManyTokens(message: string, place: object): GraphQLFormattedError {
  const value = Number(/\d+/.exec(message)?.[0]);
  return {
    message: `a document may have at most ${value} tokens (MAX_TOKENS)`,
    ...place,
    extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_TOKENS", value },
  };
}
