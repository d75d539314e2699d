/**
 * Translates a refusal, by REST or by the encoder of requests, which names a parameter or property of REST. The client gets the name of the argument, and
 * a sentence for people with its description in the schema or the limits that the REST document sets: what to change. The
 * client never gets REST's own message.
 */
import type { GraphQLArgument } from "graphql";
import type { JsonSchema } from "../../../shared/json-schema.ts";
import { own } from "../../../shared/own.ts";
import { CodedError } from "../../coded-error.ts";
import { Unwritable } from "../../rest/encode.ts";
import { markOfArgument } from "../../rest/inherited-values.ts";
import { argumentDescription, describeLimits } from "./argument-descriptions.ts";

type ArgumentFacts = {
  /** REST name → argument, where they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** The limits of arguments, as JSON Schemas. */
  readonly schemas: Readonly<Record<string, object>>;
  /** The arguments of the field. */
  readonly args: readonly GraphQLArgument[];
};

/** Returns a function that maps an error of a field's calls to the one that names arguments; any other error stays. */
export function argumentErrorTranslator(facts: ArgumentFacts): (error: Error) => Error {
  /** The same new error each time, so that the error of many parents stays one error. */
  const renamed = new WeakMap<CodedError, CodedError>();
  return (error) => {
    if (!(error instanceof CodedError)) return error;
    const { argument, operation } = error.details;
    // an error without an operation is not REST's, and names the client's argument already
    if (argument === undefined || operation === undefined) return error;
    const known = renamed.get(error) ?? inWordsOf(facts, error, argument);
    renamed.set(error, known);
    return known;
  };
}

/** The value has passed the document's limits, so the argument's description comes first: it may say more. */
function inWordsOf({ names, schemas, args }: ArgumentFacts, error: CodedError, restName: string): CodedError {
  const argument = own(names, restName) ?? restName;
  const limits = own(schemas, argument) ?? own(schemas, markOfArgument(argument)) ?? {};
  const words = describeLimits(limits as JsonSchema);
  const description = argumentDescription(args, argument);
  const { cause } = error;
  const refusal =
    cause instanceof Unwritable
      ? cause.why
      : error.code === "CONFLICT"
        ? "contradicts what is stored"
        : "is not accepted";
  const described = description ? ` It takes: ${description}` : words && ` It must be ${words}.`;
  const message = `The value of "${argument}" ${refusal}.${described}`;
  return new CodedError(error.code, message, { ...error.details, argument }, error);
}
