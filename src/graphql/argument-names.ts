/**
 * A refusal by REST names the parameter or property of REST; its client knows the argument that feeds it. Renames on
 * the way out, and only for fields where the two differ.
 */
import { CodedError } from "../errors.ts";
import type { Level } from "../rest/level.ts";
import type { Args, Resolver } from "./argument-check.ts";

/** The resolver, and its `level` if it has one, whose refusals name arguments; `names` is REST name → argument. */
export function withArgumentNames(names: Readonly<Record<string, string>>, resolve: Resolver): Resolver {
  const rename = (error: unknown): unknown => renamed(names, error);
  const fail = (error: unknown): never => {
    throw rename(error);
  };
  const named: Resolver = (parent, args, context, info) => {
    const result = resolve(parent, args, context, info);
    return result instanceof Promise ? result.catch(fail) : result;
  };
  const { level } = resolve;
  if (!level) return named;
  return Object.assign(named, {
    level: (async (parents, args, context) => {
      const results = await level(parents, args, context).catch(fail);
      return results.map((result) => (result instanceof Error ? (rename(result) as Error) : result));
    }) satisfies Level<unknown, Args, unknown>,
  });
}

function renamed(names: Readonly<Record<string, string>>, error: unknown): unknown {
  if (!(error instanceof CodedError) || error.details.argument === undefined) return error;
  const { argument } = error.details;
  const name = Object.hasOwn(names, argument) ? names[argument] : undefined;
  if (name === undefined) return error;
  const message = error.message.replace(`"${argument}"`, () => `"${name}"`);
  return new CodedError(error.code, message, { ...error.details, argument: name }, error);
}
