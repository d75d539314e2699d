/**
 * Checks arguments against the OpenAPI document before any REST call. An error names the arguments that REST would refuse. The
 * check of a field is compiled when the field is first selected, and runs once for all its parents.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import type { GraphQLArgument } from "graphql";
import { ajv, createExhaustiveAjv } from "../../../shared/json-schema.ts";
import { regexStepsPerRequest } from "../../../shared/linear-pattern.ts";
import type { Dictionary } from "../../../shared/own.ts";
import { CodedError } from "../../coded-error.ts";
import { type Enclosing, markOfArgument, nearestEnclosing } from "../../rest/inherited-values.ts";
import { mostErrors } from "../../rest/refusal-text.ts";
import type { ExecutionContext } from "../../rest/rest-context.ts";
import { argumentDescription, describeLimits } from "./argument-descriptions.ts";

export type Args = Dictionary<unknown>;

/**
 * Returns one error for all refused values; `undefined` if there are none. `enclosing` contains the arguments of enclosing
 * fields, which are the same for all parents.
 */
type CheckArguments = (
  args: Args,
  enclosing: Enclosing | undefined,
  context: ExecutionContext,
) => CodedError | undefined;

/** Creates the check of a field's arguments and of the enclosing fields' arguments that it uses. */
export function argumentCheck(
  schemas: Readonly<Record<string, object>>,
  declared: readonly GraphQLArgument[],
): CheckArguments {
  const prefix = markOfArgument("");
  const validators = new Map<string, ValidateFunction>();
  return (args, enclosing, context) => {
    const refused: Refusal[] = [];
    for (const [mark, schema] of Object.entries(schemas)) {
      const isAbove = mark.startsWith(prefix);
      const name = isAbove ? mark.slice(prefix.length) : mark;
      const value = (isAbove ? (nearestEnclosing(enclosing, mark) as Args) : args)[name];
      if (value === undefined) continue;
      const validate = validators.get(mark) ?? ajv.compile(schema);
      validators.set(mark, validate);
      context.steps ??= regexStepsPerRequest();
      if (validate.call(context, value)) continue;
      const errors = [...(validate.errors ?? []), ...furtherErrors(context, schema, value)];
      refused.push(...refusalsOf(name, errors, isAbove ? [] : declared));
    }
    return refused.length === 0 ? undefined : refusal(context, refused);
  };
}

type Refusal = { readonly argument: string; readonly detail: string };

/** Returns an error that lists at least one refused value, but otherwise at most `context.refusals.left`. */
function refusal(context: ExecutionContext, refused: readonly Refusal[]): CodedError {
  context.refusals ??= { left: refusalsPerRequest };
  const errors = refused.slice(0, Math.max(1, Math.min(mostErrors, context.refusals.left)));
  context.refusals.left -= errors.length;
  const argument = errors[0]?.argument;
  const message = errors
    .slice(0, mostInMessage)
    .map((each) => `argument "${each.argument}" ${each.detail}`)
    .join("; ");
  return new CodedError("BAD_USER_INPUT", message, { ...(argument !== undefined && { argument }), errors });
}

/** Limit of refused values in a request's errors. Each error has at least one. */
const refusalsPerRequest = 100;

/** Maximum number of refused values that a message names. */
const mostInMessage = 5;

/** The check of a list or an object with more members stops at its first error: each member could have an error. */
const mostChecked = 1_000;

/** The validator that reports all errors. Created when a value is refused for the first time. */
let exhaustiveAjv: ReturnType<typeof createExhaustiveAjv> | undefined;

/** Checks an object or a list again, for all its errors. The check with `ajv` has stopped at the first one. */
function furtherErrors(context: ExecutionContext, schema: object, value: unknown): readonly ErrorObject[] {
  if (typeof value !== "object" || value === null || !hasAtMost({ left: mostChecked }, value)) return [];
  exhaustiveAjv ??= createExhaustiveAjv();
  const validate = exhaustiveAjv.compile(schema);
  validate.call(context, value);
  return (validate.errors ?? []).filter(({ schemaPath }) => !/\/(?:any|one)Of\/|\/if\//.test(schemaPath));
}

/** Whether the value contains at most `budget.left` members and items, counted at all depths. */
function hasAtMost(budget: { left: number }, value: object): boolean {
  for (const member of Object.values(value)) {
    if (--budget.left < 0) return false;
    if (typeof member === "object" && member !== null && !hasAtMost(budget, member)) return false;
  }
  return true;
}

/** Returns the first error of each refused value. Skips the error of a list or an object that contains another refused value. */
function refusalsOf(
  name: string,
  errors: readonly ErrorObject[],
  declared: readonly GraphQLArgument[],
): Refusal[] {
  const found = new Map<string, ErrorObject>();
  for (const error of errors) {
    const path = error.instancePath;
    const isKnown = [...found.keys()].some((each) => each === path || each.startsWith(`${path}/`));
    if (!isKnown && found.size < mostErrors) found.set(path, error);
  }
  return [...found.values()].map((error) => {
    const below = error.instancePath.split("/").slice(1).join(".");
    const argument = below ? `${name}.${below}` : name;
    return { argument, detail: reason(error, argumentDescription(declared, argument)) };
  });
}

/** Describes the violated limit. Patterns are hard to read, so the argument's description replaces a violated pattern. */
function reason({ keyword, params, message = "is refused" }: ErrorObject, description: string): string {
  const { limit, format, allowedValues, pattern } = params;
  if (keyword === "not") return "must not be null";
  if (keyword === "pattern") return `does not have the form that it needs: ${description || pattern}`;
  if (keyword === "minLength" && limit === 1) return "must not be empty";
  if (keyword === "minItems") return `must hold at least ${limit} values`;
  if (keyword === "maxItems") return `must hold at most ${limit} values`;
  const words = describeLimits({ [keyword]: limit ?? format ?? allowedValues });
  return words ? `must be ${words}` : message;
}
