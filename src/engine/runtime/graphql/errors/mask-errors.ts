/**
 * Masks the errors of a response. Coded errors and GraphQL's request errors are not masked. An error about a value that violates
 * the OpenAPI document becomes `BAD_UPSTREAM_RESPONSE`, and any other error becomes `INTERNAL_SERVER_ERROR`.
 */
import { ApolloServerValidationErrorCode, unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { type Code, codes } from "../../../shared/error-codes.ts";
import { CodedError, limitExceeded } from "../../coded-error.ts";
import type { Config } from "../../settings/config.ts";
import type { FieldError } from "./field-error.ts";
import { ContractViolation } from "./field-error.ts";

/**
 * Creates Apollo's `formatError`, which masks errors. Parser errors about the size of a document become `LIMIT_EXCEEDED`. In
 * production, also removes "Did you mean …" from the error about a missing selection: graphql-js's option `hideSuggestions` hides
 * all suggestions but this one.
 */
export function formatError({ env, production }: Config) {
  const over = (limit: "MAX_TOKENS" | "MAX_DEPTH", message: string): CodedError =>
    limitExceeded(limit, env[limit], `${message} (${limit})`);
  return (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const { message } = formatted;
    if (message.includes("Document contains more tha"))
      // graphql-js misspells "more than" as "more that"; `tha` matches both
      return maskError(formatted, over("MAX_TOKENS", `a document may have at most ${env.MAX_TOKENS} tokens`));
    // the parser recurses once per nested selection set, so a document far deeper than MAX_DEPTH overflows the stack
    if (message === "Maximum call stack size exceeded")
      return maskError(formatted, over("MAX_DEPTH", "the document is too deep"));
    const { validationErrorCode } = formatted.extensions ?? {};
    if (validationErrorCode === ApolloServerValidationErrorCode.INTROSPECTION_DISABLED)
      return maskError({ ...formatted, message: introspectionOff }, error);
    const masked = maskError(formatted, error);
    return production ? { ...masked, message: masked.message.replace(/ Did you mean .*/s, "") } : masked;
  };
}

/** Replaces Apollo's message, which tells clients how to configure Apollo Server. */
const introspectionOff = "GraphQL introspection is turned off here";

export function maskError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
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
  const clientCode = knownCode(code);
  if (clientCode) return { message, ...place, extensions: { code: clientCode } };
  return { ...(refusedArgument(message, original) ?? internal), ...place };
}

export const maskFieldError = ({
  message,
  locations,
  path,
  originalError,
}: FieldError): GraphQLFormattedError =>
  maskError({ message, ...(path.length > 0 && { path }), ...(locations && { locations }) }, originalError);

export const maskVariableError = ({ message, locations }: GraphQLError): GraphQLFormattedError => ({
  message: message.slice(0, maxMessage),
  ...(locations && { locations }),
  extensions: { code: "BAD_USER_INPUT" },
});

/** Returns `code` if it is in this service's closed list of codes. */
function knownCode(code: unknown): Code | undefined {
  const isOurs = typeof code === "string" && code !== "INTERNAL_SERVER_ERROR" && Object.hasOwn(codes, code);
  return isOurs ? (code as Code) : undefined;
}

/** Maximum number of characters in a message. Messages contain names that the client chose, and may be repeated many times. */
const maxMessage = 500;

/**
 * Masks a field error that has no code. Its cause is an argument that graphql-js refuses (usually a null variable), a value
 * that REST sent, or a fault in this service.
 */
function inExecution(
  message: string,
  original: unknown,
): Pick<GraphQLFormattedError, "message" | "extensions"> {
  if (message.startsWith("Int cannot represent non 32-bit")) return tooLarge;
  return refusedArgument(message, original) ?? (isContractViolation(original) ? broken : internal);
}

/** Masks an error about an argument of a field or a directive. The error has no path if the directive is on a root field. */
function refusedArgument(message: string, original: unknown) {
  const argument = original instanceof GraphQLError ? invalidArgumentError(original) : undefined;
  return argument ? { message, extensions: { code: "BAD_USER_INPUT", argument } } : undefined;
}

/** Returns the name of the argument that graphql-js refuses, usually because a variable is null. */
export const invalidArgumentError = ({ message }: { readonly message: string }): string | undefined =>
  /^Argument "(\w+)" /.exec(message)?.[1];

const broken = {
  message: "REST sent a value that breaks its contract",
  extensions: { code: "BAD_UPSTREAM_RESPONSE" },
};
/** An integer that is too large is not reported as a contract violation, because few OpenAPI documents limit their integers. */
const tooLarge = {
  message:
    "REST sent an integer of more than 32 bits, which an Int cannot hold: the field's type has to be Float or ID",
  extensions: { code: "BAD_UPSTREAM_RESPONSE" },
};
const internal = { message: "internal error", extensions: { code: "INTERNAL_SERVER_ERROR" } };

/** Whether REST sent an invalid value. For an invalid scalar or enum, graphql-js throws a `GraphQLError`. */
export const isContractViolation = (error: unknown): boolean =>
  error instanceof ContractViolation || error instanceof GraphQLError;
