/**
 * Translates errors about values that REST or the request encoder refused: replaces the names of REST's parameters and
 * properties with the names of GraphQL arguments. If the OpenAPI document declares no error text for clients, the message
 * explains what to change, by the argument's description or else by the limits in the OpenAPI document.
 */
import { type GraphQLArgument, getNamedType, isEnumType, isScalarType, isSpecifiedScalarType } from "graphql";
import type { JsonSchema } from "../../../shared/json-schema.ts";
import { own } from "../../../shared/own.ts";
import { CodedError, type RefusedValue } from "../../coded-error.ts";
import { Unwritable } from "../../rest/encode.ts";
import { markOfArgument } from "../../rest/inherited-values.ts";
import { refusalMessage } from "../../rest/refusal-text.ts";
import { argumentAt, argumentDescription, describeLimits } from "./argument-descriptions.ts";

type ArgumentFacts = {
  /** Maps REST names to argument names. Contains only names that differ. */
  readonly names: Readonly<Record<string, string>>;
  /** The limits of arguments as JSON Schemas, by argument name. */
  readonly schemas: Readonly<Record<string, object>>;
  readonly args: readonly GraphQLArgument[];
  readonly inheritsArguments: boolean;
};

/** Returns a function that translates the errors of a field's REST calls. All other errors are returned unchanged. */
export function argumentErrorTranslator(facts: ArgumentFacts): (error: Error) => Error {
  /** Contains the translation of each error, because many parents may share an error. */
  const renamed = new WeakMap<CodedError, CodedError>();
  return (error) => {
    if (!(error instanceof CodedError)) return error;
    const { argument, errors, operation } = error.details;
    // an error without an operation was not caused by a REST call, and already contains GraphQL names
    if ((argument === undefined && errors === undefined) || operation === undefined) return error;
    const translated = renamed.get(error) ?? toArgumentError(facts, error);
    renamed.set(error, translated);
    return translated;
  };
}

function toArgumentError(facts: ArgumentFacts, error: CodedError): CodedError {
  if (isValueOfRest(facts, error)) {
    const { operation } = error.details;
    const message = `${operation}: a value from another REST response cannot be sent to it`;
    return new CodedError("BAD_UPSTREAM_RESPONSE", message, { operation }, { cause: error });
  }
  const { argument: restName, errors: given, ...others } = error.details;
  const all = given?.map(({ argument, ...refusal }): RefusedValue => {
    const name = argument === undefined ? undefined : argumentOf(facts, argument);
    return { ...refusal, ...(name !== undefined && { argument: name }) };
  });
  const argument =
    restName === undefined
      ? all?.find((each) => each.argument !== undefined)?.argument
      : (own(facts.names, restName) ?? restName);
  const errors = all?.filter(({ detail, restCode }) => detail !== undefined || restCode !== undefined) ?? [];
  const details = {
    ...others,
    ...(argument !== undefined && { argument }),
    ...(errors.length > 0 && { errors }),
  };
  const message =
    refusalMessage(details, error.cause instanceof CodedError ? error.cause.cause : undefined) ??
    (argument === undefined ? error.message : describedRefusal(facts, error, argument));
  return new CodedError(error.code, message, details, { cause: error });
}

/** Whether the encoder refused a value of an earlier REST response (such as a null in a list), not of an argument. */
function isValueOfRest(
  { names, args, inheritsArguments }: ArgumentFacts,
  { cause, details }: CodedError,
): boolean {
  const { argument = "" } = details;
  const isArgument = own(names, argument) !== undefined || args.some(({ name }) => name === argument);
  return cause instanceof Unwritable && !inheritsArguments && !isArgument && args.every(hasOneValue);
}

/** Whether REST gets the argument as one value. An input object or a custom scalar may be sent as several values. */
function hasOneValue({ type }: GraphQLArgument): boolean {
  const named = getNamedType(type);
  return isEnumType(named) || (isScalarType(named) && isSpecifiedScalarType(named));
}

/** Prefers the argument's description to the limits, because the value was within the limits and was refused nevertheless. */
function describedRefusal({ schemas, args }: ArgumentFacts, error: CodedError, argument: string): string {
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
  const described = description ? ` Its description: ${description}` : words && ` It must be ${words}.`;
  return `argument "${argument}" ${refusal}.${described}`;
}

/**
 * Returns the argument, or the field of its input object, that a REST value such as `items.0.name` came from. Rails omits the
 * object that wraps a value in the body: `name` for `customer.name`.
 */
function argumentOf(facts: ArgumentFacts, restName: string): string | undefined {
  const found = sourceOf(facts, restName);
  if (found !== undefined) return found;
  const { names, args } = facts;
  const objects = new Set([
    ...Object.keys(names).filter((name) => !name.includes(".")),
    ...args.map(({ name }) => name),
  ]);
  const inside = [...objects].flatMap((object) => {
    const wrapper = sourceOf(facts, object);
    const value = sourceOf(facts, `${object}.${restName}`);
    return wrapper !== undefined && value !== undefined && value !== wrapper ? [value] : [];
  });
  return inside.length === 1 ? inside[0] : undefined;
}

/**
 * Returns the argument or the input field that a REST value came from. If an input object has no such field, returns the input
 * object. Ignores the letter case of the first name in `restName`, because REST may write it in a different case.
 */
function sourceOf({ names, args }: ArgumentFacts, restName: string): string | undefined {
  const whole = own(names, restName);
  if (whole !== undefined) return whole;
  const [first = "", ...below] = restName.split(".");
  const root = rootOf(names, args, first);
  if (root === undefined) return undefined;
  let rest = root.name;
  let found = root.argument;
  let written = root.argument;
  for (const step of below) {
    if (/^\d+$/.test(step)) {
      written += `.${step}`;
      continue;
    }
    rest += `.${step}`;
    const next = own(names, rest) ?? `${found}.${step}`;
    if (!next.startsWith(`${found}.`) || !argumentAt(args, next)) return written;
    written += next.slice(found.length);
    found = next;
  }
  return written;
}

/** Returns the argument behind a REST parameter or body property. If its REST name differs, only that name finds it. */
function rootOf(
  names: ArgumentFacts["names"],
  args: ArgumentFacts["args"],
  first: string,
): { name: string; argument: string } | undefined {
  const feedsOther = new Set(Object.values(names));
  const own = args.flatMap(({ name }) => (feedsOther.has(name) ? [] : [[name, name] as const]));
  const all = [...Object.entries(names), ...own];
  const folded = first.toLowerCase();
  const found = all.find(([name]) => name === first) ?? all.find(([name]) => name.toLowerCase() === folded);
  return found && { name: found[0], argument: found[1] };
}
