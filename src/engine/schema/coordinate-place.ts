/** Reads schema coordinates: `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`. */
import type { GraphQLSchema } from "graphql";
import type { Place } from "../diagnostic.ts";
import { placeOf } from "./directives.ts";

/** What is no coordinate has an empty `type`. */
export function coordinateParts(coordinate: string) {
  const [, type = "", member, argument] = /^(\w+)(?:\.(\w+))?(?:\((\w+):\))?$/.exec(coordinate) ?? [];
  return { type, member, argument };
}

/** The place of the definition. */
export function coordinatePlace(schema: GraphQLSchema, coordinate: string): Place | undefined {
  const { type: name, member, argument } = coordinateParts(coordinate);
  const type = schema.getType(name);
  if (!type || member === undefined) return placeOf(type?.astNode);
  if ("getValues" in type) return placeOf(type.getValue(member)?.astNode);
  const field = "getFields" in type ? type.getFields()[member] : undefined;
  if (!field || argument === undefined) return placeOf(field?.astNode);
  return placeOf("args" in field ? field.args.find((each) => each.name === argument)?.astNode : undefined);
}
