/**
 * Input objects on their way to REST: a function for each input type whose fields have other names there, or whose
 * nulls REST does not take. A type sent to REST objects that differ in this has a function for each.
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
import { nodeKey } from "../spec/rest-document.ts";
import type { Shape } from "../spec/shape.ts";
import { access, object } from "./names.ts";

type InputFunction = {
  readonly name: string;
  readonly type: string;
  readonly result: string;
  /** Whether it calls itself, so that its result has no type that could be inferred. */
  holdsItself: boolean;
};

/** By input type and REST object; two of one type that do the same are one. */
export type InputFunctions = Map<string, InputFunction>;

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
  return isInputObjectType(named) && differs(model, named, target, new Set())
    ? converted(type, shape.nullable, functionFor(model, functions, named, target), value)
    : withoutNull(type, shape, value);
}

export const inputFunctionText = ({ name, type, result, holdsItself }: InputFunction): string =>
  `const ${name} = (input: ${type})${holdsItself ? ": any" : ""} => (${result});`;

const withoutNull = (type: GraphQLInputType, shape: Shape, value: string): string =>
  isNonNullType(type) || shape.nullable ? value : `${value} ?? undefined`;

/** `call` on each object in `value`, however deep in lists. A null that REST does not take is left out. */
function converted(type: GraphQLInputType, takesNull: boolean, call: string, value: string): string {
  const bare = getNullableType(type);
  const each = isListType(bare) ? forEach(bare.ofType, call) : undefined;
  const whole = each === undefined ? `${call}(${value})` : `${value}.map(${each})`;
  if (isNonNullType(type)) return whole;
  if (takesNull) return `${value} && ${whole}`;
  return each === undefined ? `${value} ? ${whole} : undefined` : `${value}?.map(${each})`;
}

/** In a list a null has its place: `bind` has seen to it that REST takes it. */
function forEach(type: GraphQLInputType, call: string): string {
  const item = converted(type, true, call, "item");
  return item === `${call}(item)` ? call : `(item) => ${item}`;
}

const itemShape = (shape: Shape): Shape => (shape.items ? itemShape(shape.items) : shape);

const keyOf = (type: GraphQLInputObjectType, shape: Shape): string => `${type.name} ${nodeKey(shape.node)}`;

function differs(model: Model, type: GraphQLInputObjectType, shape: Shape, seen: Set<string>): boolean {
  const key = keyOf(type, shape);
  if (seen.has(key)) return false;
  seen.add(key);
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

/** The name of the function that sends this type to this REST object. No GraphQL name has a `$`. */
function functionFor(
  model: Model,
  functions: InputFunctions,
  type: GraphQLInputObjectType,
  shape: Shape,
): string {
  const key = keyOf(type, shape);
  const known = functions.get(key);
  if (known) {
    if (known.result === "") known.holdsItself = true;
    return known.name;
  }
  const others = [...new Set(functions.values())].filter((other) => other.type === type.name);
  const name = `to${type.name}${others.length > 0 ? `$${others.length + 1}` : ""}`;
  const begun: InputFunction = { name, type: type.name, result: "", holdsItself: false };
  functions.set(key, begun);
  const entries = Object.values(type.getFields()).map((field) => {
    const name = readRestName(model.schema, field).name ?? field.name;
    const property = shape.properties.get(name)?.shape ?? shape;
    return [
      name,
      inputExpression(model, functions, field.type, property, access("input", [field.name])),
    ] as const;
  });
  const result = object(entries);
  const made = others.find((other) => other.result === result) ?? { ...begun, result };
  functions.set(key, made);
  return made.name;
}
