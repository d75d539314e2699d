/**
 * One schema in place of an `allOf` whose schemas describe the same property, or require what another one describes:
 * TypeScript's intersection of their types is another type than that of the values (`A[] & B[]` is no list of `A & B`).
 */
import { isDeepStrictEqual } from "node:util";
import { isRecord, membersOf } from "../../standards/json-object.ts";

export type Json = Record<string, unknown>;

/** The value at a reference into the document. */
export type Resolve = (reference: string) => unknown;

/** More `allOf` inside each other stay as they are: a schema may compose itself anew below each property. */
const maxDepth = 8;

/** The schema itself where its parts do not overlap, or choose between schemas. */
export function mergedAllOf(schema: Json, resolve: Resolve, depth = 0): Json {
  const parts = depth > maxDepth ? undefined : partsOf(schema, resolve, []);
  if (parts === undefined || !overlap(parts)) return schema;
  const merged = merge(parts, (schemas) => {
    const [first, ...others] = schemas.filter(
      (each, index) => schemas.findIndex((other) => isDeepStrictEqual(each, other)) === index,
    );
    return others.length === 0 ? first : mergedAllOf({ allOf: [first, ...others] }, resolve, depth + 1);
  });
  return schema.nullable === true ? { ...merged, nullable: true } : merged;
}

/** The schema without its `allOf`, and the schemas of that; `undefined` if one of them chooses between schemas. */
function partsOf(schema: Json, resolve: Resolve, enclosing: readonly unknown[]): Json[] | undefined {
  if (enclosing.includes(schema)) return undefined;
  const { $ref: reference, allOf = [], discriminator: _, ...own } = schema;
  if (["oneOf", "anyOf"].some((keyword) => keyword in own)) return undefined;
  const referred = typeof reference === "string" ? [resolve(reference)] : [];
  const below = [...referred, ...listOf(allOf)].map((part) =>
    isRecord(part) ? partsOf(part, resolve, [...enclosing, schema]) : undefined,
  );
  if (below.includes(undefined)) return undefined;
  return [...(Object.keys(own).length > 0 ? [own] : []), ...below.flatMap((parts = []) => parts)];
}

/** Whether the intersection of the parts' types may be another type than that of the values. */
function overlap(parts: readonly Json[]): boolean {
  const stating = parts.filter(makesType);
  const names = stating.flatMap(({ properties }) => keysOf(properties));
  return (
    stating.length > 1 &&
    (new Set(names).size < names.length ||
      stating.some(({ properties }) => keysOf(properties).length === 0) ||
      stating.some(({ properties, required }) =>
        listOf(required).some((name) => !keysOf(properties).includes(String(name))),
      ))
  );
}

/** Whether TypeScript's type rests on a keyword of the schema. */
export const makesType = (schema: Json): boolean => statements.some((keyword) => keyword in schema);

const statements = ["type", "properties", "required", "items", "enum", "const"];

function merge(parts: readonly Json[], mergeSchemas: (schemas: readonly unknown[]) => unknown): Json {
  const { type: _, enum: __, const: ___, nullable: ____, ...rest } = Object.assign({}, ...parts.toReversed());
  const properties = Map.groupBy(
    parts.flatMap((part) => Object.entries(membersOf(part.properties))),
    ([name]) => name,
  );
  const items = parts.flatMap((part) => (part.items === undefined ? [] : [part.items]));
  const required = new Set(parts.flatMap((part) => listOf(part.required)));
  const types = common(
    parts.map(typesOf),
    (one, other) => one === other || (one === "integer" && other === "number"),
  );
  const values = common(parts.map(valuesOf), (one, other) => one === other);
  return {
    ...rest,
    ...(types && { type: types.length === 1 ? types[0] : types }),
    ...(values && { enum: values }),
    ...(required.size > 0 && { required: [...required] }),
    ...(items.length > 0 && { items: mergeSchemas(items) }),
    ...(properties.size > 0 && {
      properties: Object.fromEntries(
        [...properties].map(([name, found]) => [name, mergeSchemas(found.map(([, schema]) => schema))]),
      ),
    }),
    ...(isNullable(parts) && { nullable: true }),
  };
}

/** What all lists have; an absent list has everything. */
function common<T>(
  lists: readonly (readonly T[] | undefined)[],
  within: (one: T, other: T) => boolean,
): T[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  if (given.length === 0) return undefined;
  const all = new Set(given.flat());
  return [...all].filter((one) => given.every((list) => list.some((other) => within(one, other))));
}

const typesOf = ({ type }: Json): unknown[] | undefined =>
  type === undefined ? undefined : [type].flat().filter((name) => name !== "null");

const valuesOf = (part: Json): unknown[] | undefined =>
  "const" in part
    ? [part.const].filter((value) => value !== null)
    : Array.isArray(part.enum)
      ? part.enum.filter((value) => value !== null)
      : undefined;

/** A part that states no type takes null if another one does. */
function isNullable(parts: readonly Json[]): boolean {
  const stating = parts.filter((part) =>
    ["type", "enum", "const", "nullable"].some((keyword) => keyword in part),
  );
  return stating.length > 0 && stating.every(takesNull);
}

const takesNull = ({ type, enum: values, const: value, nullable }: Json): boolean =>
  nullable === true ||
  [type].flat().includes("null") ||
  (type === undefined && (value === null || listOf(values).includes(null)));

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const keysOf = (value: unknown): string[] => Object.keys(membersOf(value));
