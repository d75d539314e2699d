/**
 * `generated/arguments.ts`: the REST contract's limits on each argument, as JSON Schema 2020-12 under GraphQL names,
 * so that a value REST would refuse is refused by its argument's name before any call.
 */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { readRestName } from "../spec/directives.ts";
import { type JsonSchema, limitSchema } from "../spec/json-schema.ts";
import { type ArgumentSource, type BoundField, boundFields, type Model } from "../spec/model.ts";
import type { Shape } from "../spec/shape.ts";
import { emitArgumentNames } from "./emit-argument-names.ts";
import { banner } from "./names.ts";

export function emitArguments(model: Model): string {
  const fields = boundFields(model);
  const table = Object.fromEntries(
    fields.flatMap((field) => {
      const schemas = argumentSchemas(model, field);
      return Object.keys(schemas).length > 0 ? [[field.coordinate, schemas]] : [];
    }),
  );
  return `${banner}
/** JSON Schema of each argument's value, by the field's schema coordinate. */
export const argumentSchemas: Readonly<Record<string, Readonly<Record<string, object>>>> = ${JSON.stringify(table)};
${emitArgumentNames(model, fields)}`;
}

function argumentSchemas(model: Model, field: BoundField): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  const add = ({ path, type }: ArgumentSource, shape: Shape): void => {
    const [name = "", ...below] = path;
    const nested = below.reduceRight<JsonSchema>(
      (schema, step) => ({ properties: { [step]: schema } }),
      schemaOf(model, type, shape),
    );
    const before = schemas[name];
    if (Object.keys(nested).length > 0) schemas[name] = before ? { allOf: [before, nested] } : nested;
  };
  for (const { source, shape } of field.inputs) if (source.kind === "argument") add(source, shape);
  if (field.wholeBody && field.operation.body) add(field.wholeBody, field.operation.body.shape);
  return schemas;
}

/** The limits of one value; the GraphQL type itself is already proved, so `type` is not said again. */
function schemaOf(model: Model, type: GraphQLInputType, shape: Shape, depth = 0): JsonSchema {
  const nullable = getNullableType(type);
  if (depth > 8 || isEnumType(nullable)) return {};
  if (isListType(nullable)) {
    const items = shape.items ? schemaOf(model, nullable.ofType, shape.items, depth + 1) : {};
    return orNull(type, { ...limitSchema(shape), ...(Object.keys(items).length > 0 && { items }) });
  }
  if (isInputObjectType(nullable)) return orNull(type, propertiesOf(model, nullable, shape, depth));
  if (getNamedType(type).name === "ID" && !shape.types.has("string") && shape.types.size > 0)
    return orNull(type, { pattern: "^-?[0-9]+$" });
  return orNull(type, {
    ...limitSchema(shape),
    ...(shape.values && { enum: shape.values }),
  });
}

function propertiesOf(model: Model, type: GraphQLInputObjectType, shape: Shape, depth: number): JsonSchema {
  const properties = Object.values(type.getFields()).flatMap((field) => {
    const property = shape.properties.get(readRestName(model.schema, field).name ?? field.name);
    const schema = property ? schemaOf(model, field.type, property.shape, depth + 1) : {};
    return Object.keys(schema).length > 0 ? [[field.name, schema] as const] : [];
  });
  return properties.length > 0 ? { properties: Object.fromEntries(properties) } : {};
}

/** `enum` is the one keyword that would refuse a null, which a nullable input may be. */
const orNull = (type: GraphQLInputType, schema: JsonSchema): JsonSchema =>
  !isNonNullType(type) && Array.isArray(schema.enum) ? { ...schema, enum: [...schema.enum, null] } : schema;
