/**
 * Checks arguments against the REST contract before any call. An error names the argument whose value REST would refuse.
 * A check is compiled when its field is first selected. The same arguments are checked once, however many parents there are.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import { CodedError } from "../../errors.ts";
import type { LevelResolver } from "../../rest/level.ts";
import { ajv } from "../../standards/json-schema.ts";
import { type Steps, sharing, stepsOfRequest } from "../../standards/linear-pattern.ts";
import { formatWords } from "./limit-words.ts";

export type Args = Readonly<Record<string, unknown>>;
export type Resolver = ((parent: unknown, args: Args, context: never, info: never) => unknown) & {
  level?: LevelResolver<unknown, Args, unknown>;
};

/** The steps that patterns may still take, by the context of a request. */
const stepsOf = new WeakMap<object, Steps>();

function stepsLeft(context: object): Steps {
  const steps = stepsOf.get(context) ?? stepsOfRequest();
  stepsOf.set(context, steps);
  return steps;
}

/** Wraps a resolver, and its `level` if present, in a check of each argument that has a schema. */
export function argumentCheck(schemas: Readonly<Record<string, object>>, resolve: Resolver): Resolver {
  const validators = new Map<string, ValidateFunction>();
  const findFault = (args: Args): CodedError | undefined => {
    for (const name in schemas) {
      const value = args[name];
      if (value === undefined || value === null) continue;
      const validate = validators.get(name) ?? ajv.compile(schemas[name] as object);
      validators.set(name, validate);
      if (!validate(value)) return refused(name, validate.errors?.[0]);
    }
    return undefined;
  };
  const faults = new WeakMap<Args, CodedError | undefined>();
  const check = (args: Args, context: object): void => {
    if (!faults.has(args))
      faults.set(
        args,
        sharing(stepsLeft(context), () => findFault(args)),
      );
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
    level: (async (parents, args, context) => {
      check(args, context as object);
      return level(parents, args, context);
    }) satisfies LevelResolver<unknown, Args, unknown>,
  });
}

function refused(name: string, error: ErrorObject | undefined): CodedError {
  const below = error?.instancePath.split("/").slice(1).join(".") ?? "";
  const argument = below ? `${name}.${below}` : name;
  return new CodedError("BAD_USER_INPUT", `argument "${argument}" ${reason(error)}`, { argument });
}

function reason(error: ErrorObject | undefined): string {
  if (error?.keyword === "enum")
    return `must be one of ${error.params.allowedValues.filter((value: unknown) => value !== null).join(", ")}`;
  if (error?.keyword === "format") return `must be ${formatWords(error.params.format)}`;
  return error?.message ?? "is refused";
}
