/**
 * Reads a query string as an operation's parameters by name (OpenAPI 3.1 §4.8.12). The library's own parser guesses:
 * brackets make objects, names of `Object.prototype` vanish, the first `?` of a value vanishes, and `0x10` is an integer.
 */
import type { Operation } from "openapi-backend";
import { CodedError } from "restbound";

type QueryParameters = Record<string, string | string[]>;

/** Throws `BAD_USER_INPUT` for an unknown parameter, and for an integer that is not written in decimal digits. */
export function readQuery({ parameters = [] }: Operation, text: string): QueryParameters {
  const declared = new Map(
    parameters.flatMap((one) => ("in" in one && one.in === "query" ? [[one.name, one.schema]] : [])),
  );
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const schema = declared.get(name);
    if (schema === undefined) throw refused(name, "is not known here");
    if (isInteger(schema) && !/^-?[0-9]+$/.test(value)) throw refused(name, "must be integer");
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]),
  );
}

const isInteger = (schema: object): boolean => Reflect.get(schema, "type") === "integer";

function refused(name: string, problem: string): CodedError {
  const argument = name.slice(0, 64);
  return new CodedError("BAD_USER_INPUT", `${argument || '""'}: ${problem}`, argument ? { argument } : {});
}
