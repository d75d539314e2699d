/**
 * Checks arguments against the REST contract before any call. An error names the argument whose value REST would refuse.
 * A check is compiled when its field is first selected. The same arguments are checked once, however many parents there are.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import type { GraphQLArgument } from "graphql";
import { CodedError } from "../../errors.ts";
import { type Enclosing, markOfArgument, nearestEnclosing } from "../../rest/inherit.ts";
import { ajv } from "../../standards/json-schema.ts";
import { type Steps, stepsOfRequest } from "../../standards/linear-pattern.ts";
import { argumentDescription, limitWords } from "./argument-words.ts";

export type Args = Readonly<Record<string, unknown>>;

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

/** The checks of a field. Each returns the error of a refused value. */
export type ArgumentChecks = {
  readonly own: (args: Args, context: object) => Fault;
  /** Of the arguments that the field takes from fields above. Absent: it takes none. */
  readonly above: ((enclosing: Enclosing | undefined, context: object) => Fault) | undefined;
};

/** The checks of all arguments that have a schema. */
export function argumentChecks(
  schemas: Readonly<Record<string, object>>,
  declared: readonly GraphQLArgument[],
): ArgumentChecks {
  const prefix = markOfArgument("");
  const isMark = (name: string): boolean => name.startsWith(prefix);
  const names = Object.keys(schemas);
  const own = names.filter((name) => !isMark(name));
  const findFault = faultFinder(schemas, own, declared);
  const inherited = names.filter(isMark).map((mark) => {
    const name = mark.slice(prefix.length);
    return { mark, find: faultFinder({ [name]: schemas[mark] ?? {} }, [name], []) };
  });
  const faultAbove = (enclosing: Enclosing | undefined, context: object): Fault => {
    for (const { mark, find } of inherited) {
      const fault = faultOf(find, nearestEnclosing(enclosing, mark) as Args, context);
      if (fault) return fault;
    }
    return undefined;
  };
  return {
    own: (args, context) => (own.length > 0 ? faultOf(findFault, args, context) : undefined),
    above: inherited.length > 0 ? faultAbove : undefined,
  };
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
  const { keyword = "", params = {}, message = "is refused" } = error ?? {};
  const { limit, format, allowedValues, pattern } = params;
  if (keyword === "not") return "must not be null";
  if (keyword === "pattern") return `does not have the form that it needs: ${description || pattern}`;
  if (keyword === "minLength" && limit === 1) return "must not be empty";
  if (keyword === "minItems") return `must hold at least ${limit} values`;
  if (keyword === "maxItems") return `must hold at most ${limit} values`;
  const words = limitWords({ [keyword]: limit ?? format ?? allowedValues });
  return words ? `must be ${words}` : message;
}
