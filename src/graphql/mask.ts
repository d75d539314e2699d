/**
 * What of a failure a client may see: a coded error as it is, GraphQL's own request errors as they are, a value that
 * breaks the REST contract as `BAD_UPSTREAM_RESPONSE`, and anything else as `INTERNAL_SERVER_ERROR`.
 */
import { unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import type { Environment } from "../config.ts";
import { type Code, CodedError, codes } from "../errors.ts";
import type { FieldError } from "./plan/complete.ts";

/** Apollo's `formatError`: what the parser refuses as too much is a limit, anything else is masked. */
export const formatError =
  (env: Environment) =>
  (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const { message, locations } = formatted;
    const place = locations && { locations };
    if (message.includes("Document contains more tha"))
      // graphql-js: "more that"
      return over(
        "MAX_TOKENS",
        env.MAX_TOKENS,
        `a document may have at most ${env.MAX_TOKENS} tokens`,
        place,
      );
    // the parser goes one call deeper a level, and gives up long after the limit
    if (message === "Maximum call stack size exceeded")
      return over("MAX_DEPTH", env.MAX_DEPTH, "the document is too deep", place);
    return mask(formatted, error);
  };

/** What of an error its client sees. */
export function mask(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const message = formatted.message.slice(0, maxMessage);
  const place = { ...(locations && { locations }), ...(path && { path }) };
  const original = unwrapResolverError(error);
  if (original instanceof CodedError) {
    return { message: original.message, ...place, extensions: { code: original.code, ...original.details } };
  }
  if (path) return { ...inExecution(message, original), ...place };
  const { code, limit, value } = formatted.extensions ?? {};
  if (limit !== undefined) return { message, ...place, extensions: { code: "LIMIT_EXCEEDED", limit, value } };
  const known = knownCode(code);
  if (!known) return { ...internal, ...place };
  return { message, ...place, extensions: { code: known } };
}

/** What its client sees of an error in a plan's answer. */
export const maskField = ({ message, locations, path, originalError }: FieldError): GraphQLFormattedError =>
  mask({ message, path, ...(locations && { locations }) }, originalError);

/** Apollo's code as one of ours; its clients know by the message that there are no persisted queries here. */
function knownCode(code: unknown): Code | undefined {
  if (code === "PERSISTED_QUERY_NOT_SUPPORTED") return "BAD_REQUEST";
  const isOurs = typeof code === "string" && code !== "INTERNAL_SERVER_ERROR" && Object.hasOwn(codes, code);
  return isOurs ? (code as Code) : undefined;
}

/** A message repeats names that its client chose, and a response repeats messages. */
const maxMessage = 500;

/** A field's failure that is not coded yet: an argument that variables made null, a value that REST sent, or a fault of ours. */
function inExecution(
  message: string,
  original: unknown,
): Pick<GraphQLFormattedError, "message" | "extensions"> {
  const argument = original instanceof GraphQLError ? wrongArgument(original) : undefined;
  if (argument) return { message, extensions: { code: "BAD_USER_INPUT", argument } };
  return contractBroken(original) ? broken : internal;
}

/** The argument that an error is about: graphql-js refuses its value, mostly because a variable made it null. */
export const wrongArgument = ({ message }: { readonly message: string }): string | undefined =>
  /^Argument "(\w+)" /.exec(message)?.[1];

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

const over = (limit: string, value: number, message: string, place?: object): GraphQLFormattedError => ({
  message: `${message} (${limit})`,
  ...place,
  extensions: { code: "LIMIT_EXCEEDED", limit, value },
});
