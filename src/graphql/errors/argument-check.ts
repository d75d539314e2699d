/**
 * Checks arguments against the REST contract before any call. An error names the argument whose value REST would refuse.
 * A check is compiled when its field is first selected. The same arguments are checked once, however many parents there are.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import type { GraphQLArgument } from "graphql";
import { CodedError } from "../../errors.ts";
import type { LevelResolver } from "../../rest/level.ts";
import { ajv } from "../../standards/json-schema.ts";
import { type Steps, stepsOfRequest } from "../../standards/linear-pattern.ts";
import { argumentDescription } from "./argument-words.ts";
import { formatWords } from "./limit-words.ts";

export type Args = Readonly<Record<string, unknown>>;
export type Resolver = ((parent: unknown, args: Args, context: never, info: never) => unknown) & {
  level?: LevelResolver<unknown, Args, unknown>;
  /** The types of the enclosing objects that the resolver takes values from. */
  inherits?: readonly string[];
};

/**
 * The checks that a request has made already. They are a property of its context, because an entry of a WeakMap
 * outlives its request.
 */
const checks = Symbol("argument checks");
type Checks = { readonly steps: Steps; readonly faults: Map<Args, CodedError | undefined> };
type Checking = { [checks]?: Checks };

function checksOf(context: Checking): Checks {
  context[checks] ??= { steps: stepsOfRequest(), faults: new Map() };
  return context[checks];
}

/** Wraps a resolver, and its `level` if present, in a check of each argument that has a schema. */
export function argumentCheck(
  schemas: Readonly<Record<string, object>>,
  declared: readonly GraphQLArgument[],
  resolve: Resolver,
): Resolver {
  const validators = new Map<string, ValidateFunction>();
  const findFault = (args: Args, steps: Steps): CodedError | undefined => {
    for (const name in schemas) {
      const value = args[name];
      if (value === undefined || value === null) continue;
      const validate = validators.get(name) ?? ajv.compile(schemas[name] as object);
      validators.set(name, validate);
      if (!validate.call({ steps }, value)) return refused(declared, name, validate.errors?.[0]);
    }
    return undefined;
  };
  const check = (args: Args, context: object): void => {
    const { steps, faults } = checksOf(context);
    if (!faults.has(args)) faults.set(args, findFault(args, steps));
    const fault = faults.get(args);
    if (fault) throw fault;
  };
  const checked: Resolver = (parent, args, context, info) => {
    check(args, context);
    return resolve(parent, args, context, info);
  };
  const { level } = resolve;
  if (!level) return checked;
  return Object.assign(checked, {
    level: (async (parents, args, context, enclosing) => {
      check(args, context as object);
      return level(parents, args, context, enclosing);
    }) satisfies LevelResolver<unknown, Args, unknown>,
  });
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

/** The limit that the value breaks. A pattern is for machines: the description says what it means. */
function reason(error: ErrorObject | undefined, description: string): string {
  const { keyword = "", params = {} } = error ?? {};
  const limit: unknown = params.limit;
  switch (keyword) {
    case "enum":
      return `must be one of ${params.allowedValues.filter((value: unknown) => value !== null).join(", ")}`;
    case "format":
      return `must be ${formatWords(params.format)}`;
    case "pattern":
      return `does not have the form that it needs: ${description || params.pattern}`;
    case "minLength":
      return limit === 1 ? "must not be empty" : `must be at least ${limit} characters long`;
    case "maxLength":
      return `must be at most ${limit} characters long`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "minItems":
      return `must hold at least ${limit} values`;
    case "maxItems":
      return `must hold at most ${limit} values`;
    default:
      return error?.message ?? "is refused";
  }
}
