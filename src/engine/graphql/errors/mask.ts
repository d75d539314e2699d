/**
 * Masks errors for clients. Coded errors and GraphQL's request errors stay as they are. A value that breaks the REST
 * contract becomes `BAD_UPSTREAM_RESPONSE`. Any other error becomes `INTERNAL_SERVER_ERROR`.
 */
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { CodedError } from "../../errors.ts";
import { ContractBroken } from "./contract-broken.ts";
import type { FieldError } from "./field-error.ts";

/**
 * The error that a client gets for a document that the parser or the validation refuses. Production hides suggestions:
 * graphql-js hides most of them itself, except the suggestion for a missing selection.
 */
export function maskRefusal(
  { message, locations, extensions }: GraphQLError,
  production: boolean,
): GraphQLFormattedError {
  const { code = "GRAPHQL_VALIDATION_FAILED", limit, value } = extensions;
  return {
    message: (production ? message.replace(/ Did you mean .*/s, "") : message).slice(0, maxMessage),
    ...(locations && { locations }),
    extensions: limit === undefined ? { code } : { code: "LIMIT_EXCEEDED", limit, value },
  };
}

/** The error that a client gets for a plan's field error. */
export function maskField({ message, locations, path, originalError }: FieldError): GraphQLFormattedError {
  const place = { ...(locations && { locations }), ...(path.length > 0 && { path }) };
  if (!(originalError instanceof CodedError))
    return { ...inExecution(message.slice(0, maxMessage), originalError), ...place };
  const { code, details } = originalError;
  return { message: originalError.message, ...place, extensions: { code, ...details } };
}

/** The error that a client gets for a variable with a refused value. */
export const maskVariable = ({ message, locations }: GraphQLError): GraphQLFormattedError => ({
  message: message.slice(0, maxMessage),
  ...(locations && { locations }),
  extensions: { code: "BAD_USER_INPUT" },
});

/** Characters of a message. A message repeats names that the client chose, and a response repeats messages. */
const maxMessage = 500;

/** Masks a field error without a code: a null argument, a value that REST sent, or a fault of ours. */
function inExecution(
  message: string,
  original: unknown,
): Pick<GraphQLFormattedError, "message" | "extensions"> {
  if (message.startsWith("Int cannot represent non 32-bit")) return tooLarge;
  return refusedArgument(message, original) ?? (isContractBroken(original) ? broken : internal);
}

/** Masks an error about an argument of a field or a directive. For a directive on a root field, the error has no path. */
function refusedArgument(message: string, original: unknown) {
  const argument = original instanceof GraphQLError ? wrongArgument(original) : undefined;
  return argument ? { message, extensions: { code: "BAD_USER_INPUT", argument } } : undefined;
}

/** The argument whose value graphql-js refuses, mostly because a variable made it null. */
export const wrongArgument = ({ message }: { readonly message: string }): string | undefined =>
  /^Argument "(\w+)" /.exec(message)?.[1];

const broken = {
  message: "REST sent a value that breaks its contract",
  extensions: { code: "BAD_UPSTREAM_RESPONSE" },
};
/** REST may well keep its contract: a document seldom says how large its integers are. */
const tooLarge = {
  message:
    "REST sent an integer of more than 32 bits, which an Int cannot hold: the field's type has to be Float or ID",
  extensions: { code: "BAD_UPSTREAM_RESPONSE" },
};
const internal = { message: "internal error", extensions: { code: "INTERNAL_SERVER_ERROR" } };

/** The scalars and enums of graphql-js throw a `GraphQLError` for a value that does not fit. */
export const isContractBroken = (error: unknown): boolean =>
  error instanceof ContractBroken || error instanceof GraphQLError;
