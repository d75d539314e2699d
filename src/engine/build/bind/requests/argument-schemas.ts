/**
 * The REST limits of a field's arguments as JSON Schemas (2020-12) under GraphQL names. The server refuses a value
 * beyond a limit by the name of its argument, before any call. An argument of a field above has the name `argsAbove.org`.
 */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import type { JsonSchema } from "../../../shared/json-schema.ts";
import { limitSchema } from "../../openapi/shapes/limits.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { InputPairs } from "../inputs/input-pairs.ts";
import {
  type ArgumentAboveSource,
  type ArgumentSource,
  formatSource,
  rejectsNull,
} from "../inputs/input-source.ts";
import type { FieldBinding } from "../model.ts";
import { isIntegerText } from "../type-rules.ts";
import type { RestRequest } from "./rest-request.ts";

type Source = ArgumentSource | ArgumentAboveSource;

/** Input objects below this depth are not checked: an input type may include itself. */
const maxDepth = 8;

export function argumentSchemas(
  pairs: InputPairs,
  { inputs, wholeBody, operation, connection }: FieldBinding,
): RestRequest["argumentSchemas"] {
  const schemas = new Map<string, JsonSchema>();
  const add = (source: Source, shape: Shape, inBody: boolean, required: boolean): void => {
    const { kind, path, type, defaults } = source;
    const [name = "", ...below] = kind === "argument" ? path : [formatSource(source)];
    const needed = (schema: JsonSchema, step: number): JsonSchema =>
      required && defaults.includes(step) ? notNull(schema) : schema;
    const limits = valueSchema(pairs, type, shape, inBody);
    const nested = below.reduceRight<JsonSchema>(
      (inner, step, index) => needed({ properties: { [step]: inner } }, index),
      inBody && shape.nullable ? limits : needed(limits, below.length),
    );
    const before = schemas.get(name);
    if (Object.keys(nested).length > 0) schemas.set(name, before ? { allOf: [before, nested] } : nested);
  };
  for (const { source, shape, in: location, required } of inputs) {
    // this layer makes the cursor of a connection: REST's limits hold for the REST cursor in it
    const isCursor = connection && source.kind === "argument" && source.path.join(".") === "after";
    const isArgument = source.kind === "argument" || source.kind === "argumentAbove";
    if (isArgument && !isCursor) add(source, shape, location === "body", required);
  }
  const { body } = operation;
  if (wholeBody && body) add(wholeBody, body.shape, true, body.required);
  return Object.fromEntries(schemas);
}

/** The limits of one value. `type` is absent, because GraphQL has checked it. `inBody`: an integer is sent as a number. */
function valueSchema(
  pairs: InputPairs,
  type: GraphQLInputType,
  shape: Shape,
  inBody: boolean,
  depth = 0,
): JsonSchema {
  const nullable = getNullableType(type);
  if (depth > maxDepth || isEnumType(nullable)) return {};
  if (isListType(nullable)) {
    const items = shape.items ? valueSchema(pairs, nullable.ofType, shape.items, inBody, depth + 1) : {};
    return orNull(type, { ...limitSchema(shape), ...(Object.keys(items).length > 0 && { items }) });
  }
  if (isInputObjectType(nullable)) return orNull(type, objectSchema(pairs, nullable, shape, depth));
  // a number in JSON is exact up to 15 digits
  if (isIntegerText(nullable, shape)) return { pattern: inBody ? "^-?[0-9]{1,15}$" : "^-?[0-9]+$" };
  return orNull(type, {
    ...limitSchema(shape),
    ...(shape.values && { enum: shape.values }),
  });
}

function objectSchema(
  pairs: InputPairs,
  type: GraphQLInputObjectType,
  written: Shape,
  depth: number,
): JsonSchema {
  const properties = pairs.of(type, written).fields.flatMap(({ field, property }) => {
    if (!property) return [];
    const limits = valueSchema(pairs, field.type, property.shape, true, depth + 1);
    const schema = rejectsNull(field, property) ? notNull(limits) : limits;
    return Object.keys(schema).length > 0 ? [[field.name, schema] as const] : [];
  });
  return properties.length > 0 ? { properties: Object.fromEntries(properties) } : {};
}

/** Refuses the null of an input with a default (GraphQL spec §6.4.1). */
const notNull = (schema: JsonSchema): JsonSchema => ({ not: { type: "null" }, ...schema });

/** `enum` is the only keyword that would refuse the null of a nullable input. */
const orNull = (type: GraphQLInputType, schema: JsonSchema): JsonSchema =>
  !isNonNullType(type) && Array.isArray(schema.enum) ? { ...schema, enum: [...schema.enum, null] } : schema;
