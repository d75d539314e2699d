/**
 * Input objects on their way to REST: a function for each input type whose fields have other names there, or whose
 * nulls REST does not take.
 */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { readRestName } from "../spec/directives.ts";
import type { Model } from "../spec/model.ts";
import type { Shape } from "../spec/shape.ts";
import { access, object } from "./names.ts";

export type InputFunctions = Map<string, string>;

/** The expression that sends `value` of this type to REST; the functions it calls are added to `functions`. */
export function inputExpression(
  model: Model,
  functions: InputFunctions,
  type: GraphQLInputType,
  shape: Shape,
  value: string,
): string {
  const named = getNamedType(type);
  const target = itemShape(shape);
  if (!isInputObjectType(named) || !differs(model, named, target, new Set()))
    return withoutNull(type, shape, value);
  addFunction(model, functions, named, target);
  const call = `to${named.name}`;
  const nullable = getNullableType(type);
  const converted = isListType(nullable)
    ? `${value}${isNonNullType(type) ? "" : "?"}.map(${call})`
    : `${call}(${value})`;
  return isNonNullType(type) || isListType(nullable) ? converted : `${value} && ${converted}`;
}

const withoutNull = (type: GraphQLInputType, shape: Shape, value: string): string =>
  isNonNullType(type) || shape.nullable ? value : `${value} ?? undefined`;

const itemShape = (shape: Shape): Shape => (shape.items ? itemShape(shape.items) : shape);

function differs(model: Model, type: GraphQLInputObjectType, shape: Shape, seen: Set<string>): boolean {
  if (seen.has(type.name)) return false;
  seen.add(type.name);
  return Object.values(type.getFields()).some((field) => {
    const name = readRestName(model.schema, field).name ?? field.name;
    const property = shape.properties.get(name);
    if (!property) return false;
    const named = getNamedType(field.type);
    const refusesNull = !isNonNullType(field.type) && !property.shape.nullable;
    return (
      name !== field.name ||
      refusesNull ||
      (isInputObjectType(named) && differs(model, named, itemShape(property.shape), seen))
    );
  });
}

function addFunction(
  model: Model,
  functions: InputFunctions,
  type: GraphQLInputObjectType,
  shape: Shape,
): void {
  if (functions.has(type.name)) return;
  functions.set(type.name, "");
  const entries = Object.values(type.getFields()).map((field) => {
    const name = readRestName(model.schema, field).name ?? field.name;
    const property = shape.properties.get(name)?.shape ?? shape;
    return [
      name,
      inputExpression(model, functions, field.type, property, access("input", [field.name])),
    ] as const;
  });
  functions.set(type.name, `const to${type.name} = (input: ${type.name}) => (${object(entries)});`);
}
