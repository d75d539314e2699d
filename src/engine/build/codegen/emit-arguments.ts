/**
 * Emits `generated/arguments.ts`. Before calling REST, the server rejects arguments that violate their JSON Schema. It
 * translates REST names in REST's errors to argument names.
 */
import { type BoundField, boundFields, type Model } from "../bind/model.ts";
import { literal, objectLiteral } from "./typescript-text.ts";

export function emitArguments(model: Model): string {
  const fields = boundFields(model);
  const schemas = Object.fromEntries(
    fields.flatMap(({ coordinate, request }) =>
      Object.keys(request.argumentSchemas).length > 0 ? [[coordinate, request.argumentSchemas]] : [],
    ),
  );
  return `/** JSON Schema of each argument's value, by the field's schema coordinate. */
export const argumentSchemas: Readonly<Record<string, Readonly<Record<string, object>>>> = ${literal(schemas)};

/** REST name → argument, where they differ, by the field's schema coordinate. */
export const argumentNames: Readonly<Record<string, Readonly<Record<string, string>>>> = ${objectLiteral(fields.flatMap(namesEntry))};
`;
}

function namesEntry({ coordinate, request }: BoundField): [coordinate: string, names: string][] {
  const names = Object.entries(request.argumentNames);
  const entries = names.map(([name, argument]) => [name, literal(argument)] as const);
  return entries.length > 0 ? [[coordinate, objectLiteral(entries)]] : [];
}
