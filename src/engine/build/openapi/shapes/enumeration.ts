/**
 * The values of a schema's `enum` or `const`, converted to its `type`. Some documents combine `type: integer` with `enum: ["1"]`,
 * or `type: string` with `enum: [1]`, although in JSON Schema no value satisfies both.
 */
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import type { NodePath } from "../../diagnostic.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns `undefined` if the schema lists no values, or only null and values that cannot be converted. */
export function enumerationOf(schema: Schema): readonly unknown[] | undefined {
  const values =
    "const" in schema
      ? [schema.const]
      : Array.isArray(schema.enum) && schema.enum.length > 0
        ? schema.enum
        : undefined;
  const types = [schema.type].flat().filter((name) => typeof name === "string" && name !== "null");
  if (!values || types.length === 0) return values;
  const named = values.filter((value) => value !== null);
  const typed = named.flatMap((value) => ofTypes(value, types));
  if (named.length > 0 && typed.length === 0) return undefined;
  return values.includes(null) ? [...typed, null] : typed;
}

/** Returns the path to a value in a schema's `enum`; if the value is not listed, the path to the list. */
export function enumPath(schema: unknown, value: string): NodePath {
  const { enum: listed } = membersOf(schema);
  const index = Array.isArray(listed) ? listed.map(String).indexOf(value) : -1;
  return index < 0 ? ["enum"] : ["enum", index];
}

/** Returns a list with the value, converted to one of the types if necessary. The list is empty if no conversion is possible. */
function ofTypes(value: unknown, types: readonly unknown[]): unknown[] {
  if (types.some((type) => isOfType(value, type))) return [value];
  if (typeof value === "number" || typeof value === "boolean")
    return types.includes("string") ? [String(value)] : [];
  const read = value === "true" || value === "false" ? value === "true" : Number(value);
  return String(read) === value && types.some((type) => isOfType(read, type)) ? [read] : [];
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  return typeof value === type && (type !== "number" || Number.isFinite(value));
}
