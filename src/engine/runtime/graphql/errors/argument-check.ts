/**
 * Checks arguments against the REST contract before any call. An error names the argument whose value REST would refuse.
 * A check is compiled when its field is first selected. It runs once per level, however many parents there are.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import type { GraphQLArgument } from "graphql";
import { ajv } from "../../../shared/json-schema.ts";
import { regexStepsPerRequest } from "../../../shared/linear-pattern.ts";
import type { Dictionary } from "../../../shared/own.ts";
import { CodedError } from "../../coded-error.ts";
import { type Enclosing, markOfArgument, nearestEnclosing } from "../../rest/inherited-values.ts";
import type { ExecutionContext } from "../../rest/rest-context.ts";
import { argumentDescription, describeLimits } from "./argument-descriptions.ts";

export type Args = Dictionary<unknown>;

/**
 * Returns the error of a refused value. `enclosing` contains the arguments of the fields above, which are the same for all
 * parents.
 */
type CheckArguments = (
  args: Args,
  enclosing: Enclosing | undefined,
  context: ExecutionContext,
) => CodedError | undefined;

/** Creates the check of all arguments that have a schema: the field's own, and the arguments of fields above that it uses. */
export function argumentCheck(
  schemas: Readonly<Record<string, object>>,
  declared: readonly GraphQLArgument[],
): CheckArguments {
  const prefix = markOfArgument("");
  const validators = new Map<string, ValidateFunction>();
  return (args, enclosing, context) => {
    for (const [mark, schema] of Object.entries(schemas)) {
      const isAbove = mark.startsWith(prefix);
      const name = isAbove ? mark.slice(prefix.length) : mark;
      const value = (isAbove ? (nearestEnclosing(enclosing, mark) as Args) : args)[name];
      if (value === undefined) continue;
      const validate = validators.get(mark) ?? ajv.compile(schema);
      validators.set(mark, validate);
      context.steps ??= regexStepsPerRequest();
      if (!validate.call(context, value)) return refused(isAbove ? [] : declared, name, validate.errors?.[0]);
    }
    return undefined;
  };
}

function refused(
  declared: readonly GraphQLArgument[],
  name: string,
  error: ErrorObject | undefined,
): CodedError {
  const below = error?.instancePath.split("/").slice(1).join(".") ?? "";
  const argument = below ? `${name}.${below}` : name;
  const message = `argument "${argument}" ${reason(error, argumentDescription(declared, argument))}`;
  return new CodedError("BAD_USER_INPUT", message, { argument });
}

/** Names the limit that the value violates. For a pattern, which is hard to read, the argument's description is used instead. */
function reason(error: ErrorObject | undefined, description: string): string {
  const { keyword = "", params = {}, message = "is refused" } = error ?? {};
  const { limit, format, allowedValues, pattern } = params;
  if (keyword === "not") return "must not be null";
  if (keyword === "pattern") return `does not have the form that it needs: ${description || pattern}`;
  if (keyword === "minLength" && limit === 1) return "must not be empty";
  if (keyword === "minItems") return `must hold at least ${limit} values`;
  if (keyword === "maxItems") return `must hold at most ${limit} values`;
  const words = describeLimits({ [keyword]: limit ?? format ?? allowedValues });
  return words ? `must be ${words}` : message;
}
