/**
 * What of a failure a client may see: a coded error as it is, GraphQL's own request errors as they are, a value that
 * breaks the REST contract as `BAD_UPSTREAM_RESPONSE`, and anything else as `INTERNAL_SERVER_ERROR`.
 */
import { unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { type Code, CodedError, codes } from "../errors.ts";

/** Apollo's `formatError`, and the plan's. */
export function mask(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const message = formatted.message.slice(0, maxMessage);
  const place = { ...(locations && { locations }), ...(path && { path }) };
  const original = unwrapResolverError(error);
  if (original instanceof CodedError) {
    return { message: original.message, ...place, extensions: { code: original.code, ...original.details } };
  }
  if (message.includes("Document contains more tha")) return tooManyTokens(message, place);
  if (message === "Maximum call stack size exceeded") return { ...tooDeep, ...place };
  if (path) return { ...inExecution(message, original), ...place };
  const { code, limit, value } = formatted.extensions ?? {};
  if (limit !== undefined) return { message, ...place, extensions: { code: "LIMIT_EXCEEDED", limit, value } };
  const known = knownCode(code);
  if (!known) return { ...internal, ...place };
  return { message, ...place, extensions: { code: known } };
}

/** Apollo's code as one of ours; its clients know by the message that there are no persisted queries here. */
function knownCode(code: unknown): Code | undefined {
  if (code === "PERSISTED_QUERY_NOT_SUPPORTED") return "BAD_REQUEST";
  const isOurs = typeof code === "string" && code !== "INTERNAL_SERVER_ERROR" && Object.hasOwn(codes, code);
  return isOurs ? (code as Code) : undefined;
}

/** A message repeats names that its client chose, and a response repeats messages. */
const maxMessage = 500;

/** The parser goes one call deeper a level, and gives up long after `MAX_DEPTH`. */
const tooDeep = {
  message: "the document is too deep (MAX_DEPTH)",
  extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_DEPTH" },
};

/** A field's failure that is not coded yet: an argument that variables made null, a value that REST sent, or a fault of ours. */
function inExecution(
  message: string,
  original: unknown,
): Pick<GraphQLFormattedError, "message" | "extensions"> {
  const argument = /^Argument "(\w+)" /.exec(message)?.[1];
  if (original instanceof GraphQLError && argument)
    return { message, extensions: { code: "BAD_USER_INPUT", argument } };
  return contractBroken(original) ? broken : internal;
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
