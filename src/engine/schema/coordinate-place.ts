/** Reads schema coordinates: `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`. */
import { type ASTNode, type GraphQLSchema, print } from "graphql";
import type { Place } from "../diagnostic.ts";
import { placeOf } from "./directives.ts";

/** What is no coordinate has an empty `type`. */
export function coordinateParts(coordinate: string) {
  const [, type = "", member, argument] = /^(\w+)(?:\.(\w+))?(?:\((\w+):\))?$/.exec(coordinate) ?? [];
  return { type, member, argument };
}

/** The place of the definition. */
export const coordinatePlace = (schema: GraphQLSchema, coordinate: string): Place | undefined =>
  placeOf(nodeAt(schema, coordinate));

/** The text of the definition; of an argument, that of its field. */
export function definitionAt(schema: GraphQLSchema, coordinate: string): string | undefined {
  const node = nodeAt(schema, coordinate.replace(/\(.*/, ""));
  return node ? print(node) : undefined;
}

function nodeAt(schema: GraphQLSchema, coordinate: string): ASTNode | undefined | null {
  const { type: name, member, argument } = coordinateParts(coordinate);
  const type = schema.getType(name);
  if (!type || member === undefined) return type?.astNode;
  if ("getValues" in type) return type.getValue(member)?.astNode;
  const field = "getFields" in type ? type.getFields()[member] : undefined;
  if (!field || argument === undefined) return field?.astNode;
  return "args" in field ? field.args.find((each) => each.name === argument)?.astNode : undefined;
}
