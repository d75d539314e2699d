/** Finds the object of a `oneOf` or `anyOf` that an input type stands for: the first object with all fields of the type. */
import type { GraphQLInputObjectType } from "graphql";
import { mergeShapes } from "../../openapi/shapes/merge-shapes.ts";
import { declaredProperty, type Shape } from "../../openapi/shapes/shape.ts";
import type { RestNames } from "../../schema/rest-names.ts";

/** The shape itself if it declares every field, or if none of its members does. */
export function takenObject(names: RestNames, type: GraphQLInputObjectType, shape: Shape): Shape {
  const { properties, members = [] } = shape;
  const known = new Set(
    [properties, ...members.map((each) => each.properties)].flatMap((each) => [...each.keys()]),
  );
  const taken = Object.values(type.getFields()).map((field) => names.among(field, known));
  const others = taken.filter((name) => !declaredProperty(shape, name));
  if (others.length === 0) return shape;
  const fed = new Set(taken);
  const having = members.filter((member) => others.every((name) => declaredProperty(member, name)));
  const member = having.find((each) => unfedProperties(each, fed).length === 0) ?? having[0];
  return member ? mergeShapes(shape, member, member.node) : shape;
}

/** The names of the properties that REST requires and nothing feeds. */
export const unfedProperties = ({ properties }: Shape, fed: ReadonlySet<string>): string[] =>
  [...properties.values()].flatMap(({ name, required, only }) =>
    required && only !== "response" && !fed.has(name) ? [name] : [],
  );
