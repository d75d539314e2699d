/** The two judges of the property test: Ajv says which values a document allows, `shows` says which a type shows. */
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  type GraphQLList,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql";
import type { Schema, World } from "./schemas.ts";

const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** The rule of the mapping: an integer whose schema says nothing of its size has 32 bits. */
function withInt32(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withInt32);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Schema = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withInt32(value)]),
  );
  const isSized = ["format", "minimum", "maximum", "enum"].some((key) => key in copy);
  return copy.type === "integer" && !isSized ? { ...copy, ...int32 } : copy;
}

/** One validator for each answer. */
export function validators({ answers, schemas }: World): ((value: unknown) => boolean)[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  return answers.map((answer) => {
    const whole = { allOf: [withInt32(answer)], components: { schemas: withInt32(schemas) } };
    const validate = ajv.compile(whole);
    return (value) => validate(value) === true;
  });
}

const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: (value) => typeof value === "string",
  Int: (value) => Number.isInteger(value) && value === (Number(value) | 0),
  Float: (value) => typeof value === "number",
  Boolean: (value) => typeof value === "boolean",
};

/** Whether a field of `type` shows the value without an error (GraphQL spec §6.4.3). No value is converted. */
export function shows(type: GraphQLOutputType, value: unknown): boolean {
  if (isNonNullType(type)) return value !== null && value !== undefined && shows(type.ofType, value);
  if (value === null || value === undefined) return true;
  if (isListType(type) && String(type).includes("M!")) return showsMap(type, value);
  if (isListType(type)) return Array.isArray(value) && value.every((item) => shows(type.ofType, item));
  if (isScalarType(type)) return scalars[type.name]?.(value) ?? true;
  if (isEnumType(type)) return typeof value === "string" && type.getValue(value) !== undefined;
  if (!isObjectType(type) || typeof value !== "object" || Array.isArray(value)) return false;
  const from = value as Readonly<Record<string, unknown>>;
  return Object.values(type.getFields()).every((field) => shows(field.type, from[field.name]));
}

/** A field whose type is a list of `M` shows a map as its entries, also within lists. */
function showsMap(type: GraphQLList<GraphQLOutputType>, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const items = Array.isArray(value)
    ? value
    : Object.entries(value).map(([key, each]) => ({ key, value: each }));
  return items.every((item) => shows(type.ofType, item));
}
