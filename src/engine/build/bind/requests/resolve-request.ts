/** Resolves the request of a bound field: the value that each location sends, and the form in which REST receives it. */
import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from "graphql";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { InputPair, InputPairs } from "../inputs/input-pairs.ts";
import type { ArgumentSource } from "../inputs/input-source.ts";
import type { FieldBinding, Input } from "../model.ts";
import { argumentNames } from "./argument-names.ts";
import { argumentSchemas } from "./argument-schemas.ts";
import type { InputConversions } from "./input-conversions.ts";
import type { RequestPart, RequestValue, RestRequest } from "./rest-request.ts";

export function resolveRequest(conversions: InputConversions, field: FieldBinding): RestRequest {
  const { operation, nullOn404 } = field;
  return {
    method: operation.method === "get" && nullOn404 ? "find" : operation.method,
    parts: requestParts(conversions, field),
    argumentSchemas: argumentSchemas(conversions.pairs, field),
    argumentNames: argumentNames(conversions.pairs, field),
  };
}

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
    return { source, sent: { nulls: isOmitted ? "omitted" : "sent" } };
  }
  // an inherited value is never null
  const isConverted = source.kind === "argumentAbove" && inBody;
  const form = isConverted ? conversions.sentValue(getNullableType(source.type), shape) : undefined;
  return { source, sent: { ...form, nulls: "never" } };
}

/** Outside the body the parameter encoder of the REST client handles nulls. */
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
 * Whether TypeScript cannot prove, at any depth, that REST takes the value: REST takes one of several objects or lists,
 * or the type requires a property that only responses have (OpenAPI 3.1 §4.8.24).
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
