/**
 * Checks arguments against the REST contract before any call. An error names the argument whose value REST would refuse.
 * A check is compiled when its field is first selected. The same arguments are checked once, however many parents there are.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import type { GraphQLArgument } from "graphql";
import { CodedError } from "../../errors.ts";
import { type Enclosing, enclosingOf, markOfArgument, nearestEnclosing } from "../../rest/inherit.ts";
import type { LevelResolver } from "../../rest/level.ts";
import { ajv } from "../../standards/json-schema.ts";
import { type Steps, stepsOfRequest } from "../../standards/linear-pattern.ts";
import { argumentDescription } from "./argument-words.ts";
import { formatWords } from "./limit-words.ts";

export type Args = Readonly<Record<string, unknown>>;
export type Resolver = ((parent: unknown, args: Args, context: never, info: never) => unknown) & {
  level?: LevelResolver<unknown, Args, never, unknown>;
  /** The types of the enclosing objects that the resolver takes values from. */
  inherits?: readonly string[];
};

/**
 * The checks that a request has made already: by each check, and by the arguments of one selected field. They are a
 * property of its context, because an entry of a WeakMap outlives its request.
 */
const checks = Symbol("argument checks");
type Fault = CodedError | undefined;
type FindFault = (args: Args, steps: Steps) => Fault;
type Checks = { readonly steps: Steps; readonly faults: Map<FindFault, Map<Args, Fault>> };
type Checking = { [checks]?: Checks };

function checksOf(context: Checking): Checks {
  context[checks] ??= { steps: stepsOfRequest(), faults: new Map() };
  return context[checks];
}

function faultOf(find: FindFault, args: Args, context: object): Fault {
  const { steps, faults } = checksOf(context);
  const known = faults.get(find) ?? new Map<Args, Fault>();
  faults.set(find, known);
  if (!known.has(args)) known.set(args, find(args, steps));
  return known.get(args);
}

/**
 * Wraps a resolver, and its `level` if present, in a check of each argument that has a schema: of the field's own, and of
 * those that it takes from fields above.
 */
export function argumentCheck(
  schemas: Readonly<Record<string, object>>,
  declared: readonly GraphQLArgument[],
  resolve: Resolver,
): Resolver {
  const prefix = markOfArgument("");
  const isMark = (name: string): boolean => name.startsWith(prefix);
  const names = Object.keys(schemas);
  const own = names.filter((name) => !isMark(name));
  const findFault = faultFinder(schemas, own, declared);
  const inherited = names.filter(isMark).map((mark) => {
    const name = mark.slice(prefix.length);
    return { mark, find: faultFinder({ [name]: schemas[mark] ?? {} }, [name], []) };
  });
  const check = (args: Args, context: object): void => {
    const fault = faultOf(findFault, args, context);
    if (fault) throw fault;
  };
  /** Only a field that takes an argument from above has a value for `enclosing`. */
  const faultAbove = (enclosing: Enclosing | undefined, context: object): Fault => {
    for (const { mark, find } of inherited) {
      const fault = faultOf(find, nearestEnclosing(enclosing, mark) as Args, context);
      if (fault) return fault;
    }
    return undefined;
  };
  const checked: Resolver = (parent, args, context, info) => {
    check(args, context);
    const fault = inherited.length > 0 && faultAbove(enclosingOf(info), context);
    if (fault) throw fault;
    return resolve(parent, args, context, info);
  };
  const { level } = resolve;
  if (!level) return checked;
  return Object.assign(checked, {
    level: (async (parents, args, context, enclosing) => {
      check(args, context);
      if (inherited.length === 0) return level(parents, args, context, enclosing);
      const faults = enclosing.map((each) => faultAbove(each, context));
      const sound = [...parents.keys()].filter((index) => faults[index] === undefined);
      const found = await level(
        sound.map((index) => parents[index]),
        args,
        context,
        sound.map((index) => enclosing[index]),
      );
      const results = new Map(sound.map((index, place) => [index, found[place]]));
      return parents.map((_, index) => faults[index] ?? results.get(index));
    }) satisfies LevelResolver<unknown, Args, never, unknown>,
  });
}

/** The validators are compiled when the field is first selected. */
function faultFinder(
  schemas: Readonly<Record<string, object>>,
  names: readonly string[],
  declared: readonly GraphQLArgument[],
): FindFault {
  const validators = new Map<string, ValidateFunction>();
  return (args, steps) => {
    for (const name of names) {
      const value = args[name];
      if (value === undefined) continue;
      const validate = validators.get(name) ?? ajv.compile(schemas[name] as object);
      validators.set(name, validate);
      if (!validate.call({ steps }, value)) return refused(declared, name, validate.errors?.[0]);
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

/** The limit that the value breaks. A pattern is for machines: the description says what it means. */
function reason(error: ErrorObject | undefined, description: string): string {
  const { keyword = "", params = {} } = error ?? {};
  const limit: unknown = params.limit;
  switch (keyword) {
    case "not":
      return "must not be null";
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
