/** The place where a schema coordinate (`Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`) is defined. */
import type { GraphQLSchema } from "graphql";
import type { Place } from "../diagnostic.ts";
import { placeOf } from "./directives.ts";

export function coordinatePlace(schema: GraphQLSchema, coordinate: string): Place | undefined {
  const [, typeName = "", member, argument] = /^(\w+)(?:\.(\w+))?(?:\((\w+):\))?$/.exec(coordinate) ?? [];
  const type = schema.getType(typeName);
  if (!type || member === undefined) return placeOf(type?.astNode);
  if ("getValues" in type) return placeOf(type.getValue(member)?.astNode);
  const field = "getFields" in type ? type.getFields()[member] : undefined;
  if (!field || argument === undefined) return placeOf(field?.astNode);
  return placeOf("args" in field ? field.args.find(({ name }) => name === argument)?.astNode : undefined);
}
