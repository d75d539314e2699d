/**
 * The second table of `generated/arguments.ts`: REST name → the argument that feeds it, where the two differ, so that
 * a refusal by REST names what the client wrote. No limits: those are the first table's.
 */
import { getNamedType, isInputObjectType } from "graphql";
import { readRestName } from "../spec/directives.ts";
import type { BoundField, Model } from "../spec/model.ts";
import { object } from "./names.ts";

type Names = Record<string, string>;

export function emitArgumentNames(model: Model, fields: readonly BoundField[]): string {
  const table = fields.flatMap((field) => {
    const names = Object.entries({ ...bodyNames(model, field), ...inputNames(field) });
    const entries = names.map(([name, argument]) => [name, JSON.stringify(argument)] as const);
    return entries.length > 0 ? [[field.coordinate, object(entries)] as const] : [];
  });
  return `
/** REST name → argument, where they differ, by the field's schema coordinate. */
export const argumentNames: Readonly<Record<string, Readonly<Record<string, string>>>> = ${object(table)};
`;
}

const inputNames = ({ inputs }: BoundField): Names =>
  Object.fromEntries(
    inputs.flatMap(({ name, source }) => {
      const argument = source.kind === "argument" ? source.path.join(".") : name;
      return argument === name ? [] : [[name, argument]];
    }),
  );

/** The properties of an argument that is the whole body. */
function bodyNames({ schema }: Model, { wholeBody }: BoundField): Names {
  if (!wholeBody) return {};
  const type = getNamedType(wholeBody.type);
  if (!isInputObjectType(type)) return {};
  return Object.fromEntries(
    Object.values(type.getFields()).map((field) => [
      readRestName(schema, field).name ?? field.name,
      [...wholeBody.path, field.name].join("."),
    ]),
  );
}
