/** Determines the REST request of a bound field: where each value comes from, where it is sent, and how it is converted. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import type { JsonSchema } from "../../../shared/json-schema.ts";
import { limitSchema } from "../../openapi/shapes/limits.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { InputPair, InputPairs } from "../inputs/input-pairs.ts";
import {
  type ArgumentAboveSource,
  type ArgumentSource,
  formatSource,
  rejectsNull,
} from "../inputs/input-source.ts";
import type { FieldBinding, Input } from "../model.ts";
import { isIntegerText, scalarFitsInput } from "../scalar-rules.ts";
import type { InputConversions } from "./input-conversions.ts";
import type { RequestPart, RequestValue, RestRequest } from "./rest-request.ts";

export function resolveRequest(conversions: InputConversions, field: FieldBinding): RestRequest {
  const { operation, nullOn404 } = field;
  return {
    method: (nullOn404 && nullableMethods.get(operation.method)) || operation.method,
    parts: requestParts(conversions, field),
    argumentSchemas: argumentSchemas(conversions.pairs, field),
    argumentNames: argumentNames(conversions.pairs, field),
  };
}

/** HTTP method → the function of the REST client that returns null for a 404. */
const nullableMethods: ReadonlyMap<string, string> = new Map([
  ["get", "find"],
  ["query", "search"],
]);

const requestParts = (conversions: InputConversions, field: FieldBinding): RequestPart[] =>
  (["path", "query", "header", "body"] as const).flatMap((location): RequestPart[] => {
    const { wholeBody, operation } = field;
    if (location === "body" && wholeBody && operation.body)
      return [{ in: "body", whole: argumentValue(conversions, wholeBody, operation.body.shape, true) }];
    const inputs = field.inputs.filter((input) => input.in === location);
    const entries = inputs.map((input) => ({
      name: input.name,
      value: inputValue(conversions, field, input),
    }));
    return entries.length > 0 ? [{ in: location, entries }] : [];
  });

function inputValue(conversions: InputConversions, field: FieldBinding, input: Input): RequestValue {
  if (input === field.batch?.key) return { source: "keys", sent: { nulls: "never" } };
  const { source, shape } = input;
  const inBody = input.in === "body";
  if (source.kind === "argument") return argumentValue(conversions, source, shape, inBody);
  if (source.kind === "parent") {
    const isOmitted = inBody && source.nullable && !shape.nullable && !field.needs.includes(source);
    const sent = { nulls: isOmitted ? "omitted" : "sent" } as const;
    return { source, sent, ...(!source.nullable && { isRequired: true }) };
  }
  // if an inherited value is null, the field is null without a call
  const isConverted = source.kind === "argumentAbove" && inBody;
  const form = isConverted ? conversions.sentValue(getNullableType(source.type), shape) : undefined;
  return { source, sent: { ...form, nulls: "never" } };
}

/** Converts nulls only in the body, because the encoder of the REST client omits null parameters. */
function argumentValue(
  conversions: InputConversions,
  source: ArgumentSource,
  shape: Shape,
  inBody: boolean,
): RequestValue {
  const { nullable, type } = source;
  const isPlain = !isInputObjectType(getNamedType(type)) && !inBody;
  const sent = isPlain
    ? ({ nulls: "sent" } as const)
    : conversions.sentValue(nullable ? getNullableType(type) : type, shape);
  return { source, sent, ...(isBeyondTypes(conversions.pairs, type, shape) && { isUntyped: true }) };
}

/**
 * Whether TypeScript cannot check the value against the generated REST types: the schema accepts alternatives, or requires a
 * read-only property, which requests omit (OpenAPI 3.1 §4.8.24).
 */
function isBeyondTypes(
  pairs: InputPairs,
  type: GraphQLInputType,
  shape: Shape,
  enclosing: readonly InputPair[] = [],
): boolean {
  const bare = getNullableType(type);
  const isNested = isListType(bare) || isInputObjectType(bare);
  if (isNested && shape.members && shape.members.length > 1) return true;
  if (isListType(bare))
    return shape.items !== undefined && isBeyondTypes(pairs, bare.ofType, shape.items, enclosing);
  if (!isInputObjectType(bare)) return false;
  if (bare.isOneOf) return true;
  if ([...shape.properties.values()].some(({ required, only }) => required && only === "response"))
    return true;
  const pair = pairs.of(bare, shape);
  return (
    !enclosing.includes(pair) &&
    pair.fields.some(
      ({ field, property }) =>
        property !== undefined && isBeyondTypes(pairs, field.type, property.shape, [...enclosing, pair]),
    )
  );
}

/** REST name → argument, for translating REST's error responses. */
type Names = RestRequest["argumentNames"];

const argumentNames = (pairs: InputPairs, field: FieldBinding): Names => ({
  ...bodyNames(pairs, field),
  ...inputNames(pairs, field),
});

const inputNames = (pairs: InputPairs, { inputs }: FieldBinding): Names =>
  Object.fromEntries(
    inputs.flatMap(({ name, source, shape }): [string, string][] => {
      if (source.kind !== "argument" && source.kind !== "argumentAbove") return [];
      const argument = source.path.join(".");
      const nested = prefixed(name, argument, renamedBelow(pairs, source.type, shape));
      return argument === name ? nested : [[name, argument], ...nested];
    }),
  );

type Renamed = [name: string, argument: string];

/** For nested fields with another name in REST: `profile.colour` → `profile.color`. */
function renamedBelow(pairs: InputPairs, given: GraphQLInputType, written: Shape, depth = 0): Renamed[] {
  const bare = getNullableType(given);
  if (isListType(bare)) return written.items ? renamedBelow(pairs, bare.ofType, written.items, depth) : [];
  if (!isInputObjectType(bare) || depth > maxNameDepth) return [];
  return pairs.of(bare, written).fields.flatMap(({ field, name, property, choice }): Renamed[] => {
    if (!property || choice?.isWholeMember) return [];
    const restName = choice?.sent.name ?? name;
    const nested = prefixed(restName, field.name, renamedBelow(pairs, field.type, property.shape, depth + 1));
    return field.name === name ? nested : [[restName, field.name], ...nested];
  });
}

const prefixed = (name: string, argument: string, renamed: readonly Renamed[]): Renamed[] =>
  renamed.map(([inner, field]) => [`${name}.${inner}`, `${argument}.${field}`]);

/** Deeper names are not translated, because an input type may contain itself. */
const maxNameDepth = 3;

/**
 * For an argument that is the whole body: REST property → input field. If several fields of a `@oneOf` type feed a property, it
 * maps to the argument itself.
 */
function bodyNames(pairs: InputPairs, { wholeBody, operation }: FieldBinding): Names {
  const type = wholeBody && getNamedType(wholeBody.type);
  if (!isInputObjectType(type) || !operation.body) return {};
  const path = wholeBody?.path ?? [];
  const { fields } = pairs.of(type, operation.body.shape);
  const found = fields.flatMap(({ field, name, choice }): [name: string, argument: string][] => {
    const at = [...path, field.name];
    if (!choice?.isWholeMember) return [[choice?.sent.name ?? name, at.join(".")]];
    const member = getNamedType(field.type);
    const own = isInputObjectType(member) ? pairs.of(member, choice.sent.shape).fields : [];
    return [
      ...own.map((each): [string, string] => [each.name, [...at, each.field.name].join(".")]),
      ...(choice.chosenBy ? [[choice.chosenBy.name, path.join(".")] as [string, string]] : []),
    ];
  });
  const all = Map.groupBy(found, ([name]) => name);
  const nested = fields.flatMap(({ field, name, property, choice }) =>
    property && !choice?.isWholeMember && all.get(name)?.length === 1
      ? prefixed(name, [...path, field.name].join("."), renamedBelow(pairs, field.type, property.shape))
      : [],
  );
  return Object.fromEntries([
    ...[...all].map(([name, [first, ...others]]): [string, string] => [
      name,
      others.length > 0 ? path.join(".") : (first?.[1] ?? ""),
    ]),
    ...nested,
  ]);
}

type Source = ArgumentSource | ArgumentAboveSource;

/** Deeper input objects are not checked, because an input type may contain itself. */
const maxDepth = 8;

/**
 * Argument → JSON Schema (2020-12) of REST's limits, with GraphQL names. Before the call, the server rejects a value that
 * violates them. `argsAbove.org` is the argument `org` of a field above.
 */
function argumentSchemas(
  pairs: InputPairs,
  { inputs, wholeBody, operation, connection }: FieldBinding,
): RestRequest["argumentSchemas"] {
  const schemas = new Map<string, JsonSchema>();
  const add = (source: Source, shape: Shape, inBody: boolean, required: boolean): void => {
    const { kind, path, type, defaults } = source;
    const [name = "", ...below] = kind === "argument" ? path : [formatSource(source)];
    const needed = (schema: JsonSchema, step: number): JsonSchema =>
      required && defaults.includes(step) ? notNull(schema) : schema;
    const limits = valueSchema(pairs, type, shape, { inBody });
    const nested = below.reduceRight<JsonSchema>(
      (inner, step, index) => needed({ properties: { [step]: inner } }, index),
      inBody && shape.nullable ? limits : needed(limits, below.length),
    );
    const before = schemas.get(name);
    if (Object.keys(nested).length > 0) schemas.set(name, before ? { allOf: [before, nested] } : nested);
  };
  for (const { source, shape, in: location, required } of inputs) {
    // REST's limits apply to its own cursor, which the connection's cursor encodes
    const isCursor = connection && source.kind === "argument" && source.path.join(".") === "after";
    const isArgument = source.kind === "argument" || source.kind === "argumentAbove";
    if (isArgument && !isCursor) add(source, shape, location === "body", required);
  }
  const { body } = operation;
  if (wholeBody && body) add(wholeBody, body.shape, true, body.required);
  return Object.fromEntries(schemas);
}

/**
 * Returns the limits of a value without `type`, which GraphQL checks. `inBody`: whether the value is sent in a JSON body, where
 * an ID may be a number.
 */
function valueSchema(
  pairs: InputPairs,
  type: GraphQLInputType,
  shape: Shape,
  { inBody, depth = 0 }: { readonly inBody: boolean; readonly depth?: number },
): JsonSchema {
  const nullable = getNullableType(type);
  if (depth > maxDepth || isEnumType(nullable)) return {};
  if (isListType(nullable)) {
    const items = shape.items
      ? valueSchema(pairs, nullable.ofType, shape.items, { inBody, depth: depth + 1 })
      : {};
    return orNull(type, { ...limitSchema(shape), ...(Object.keys(items).length > 0 && { items }) });
  }
  if (isInputObjectType(nullable)) return orNull(type, objectSchema(pairs, nullable, shape, depth));
  // JSON numbers are exact up to 15 digits
  if (isIntegerText(nullable, shape)) return { pattern: inBody ? "^-?[0-9]{1,15}$" : "^-?[0-9]+$" };
  return orNull(type, {
    ...limitSchema(shape),
    ...(shape.values && { enum: shape.values }),
    ...anyOfMembers(nullable, shape),
  });
}

/** Returns an `anyOf` with the limits of all alternatives that the type fits, or an empty schema if one of them has no limits. */
function anyOfMembers(type: GraphQLScalarType, { members = [], values }: Shape): JsonSchema {
  const fitting = members.filter((member) => scalarFitsInput(type, member));
  const schemas = fitting.map((member) => ({
    ...limitSchema(member),
    ...(!values && member.values && { enum: member.values }),
  }));
  return schemas.length > 0 && schemas.every((each) => Object.keys(each).length > 0)
    ? { anyOf: schemas }
    : {};
}

function objectSchema(
  pairs: InputPairs,
  type: GraphQLInputObjectType,
  written: Shape,
  depth: number,
): JsonSchema {
  const properties = pairs.of(type, written).fields.flatMap(({ field, property }) => {
    if (!property) return [];
    const limits = valueSchema(pairs, field.type, property.shape, { inBody: true, depth: depth + 1 });
    const schema = rejectsNull(field, property) ? notNull(limits) : limits;
    return Object.keys(schema).length > 0 ? [[field.name, schema] as const] : [];
  });
  return properties.length > 0 ? { properties: Object.fromEntries(properties) } : {};
}

/** Rejects null, which clients may send even if the argument has a default (GraphQL §6.4.1). */
const notNull = (schema: JsonSchema): JsonSchema => ({ not: { type: "null" }, ...schema });

/** Adds null to the `enum` of a nullable input, because an `enum`, unlike other limits, rejects null. */
const orNull = (type: GraphQLInputType, schema: JsonSchema): JsonSchema =>
  !isNonNullType(type) && Array.isArray(schema.enum) ? { ...schema, enum: [...schema.enum, null] } : schema;
