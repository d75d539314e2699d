/** Reads schema coordinates (GraphQL spec §3.14): `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`, `@directive`. */
import { type ASTNode, type GraphQLSchema, print, resolveSchemaCoordinate } from "graphql";
import type { Place } from "../diagnostic.ts";
import { placeOf } from "./directives.ts";

/** What is no coordinate has an empty `type`. */
export function coordinateParts(coordinate: string) {
  const [, type = "", member, argument] = /^(\w+)(?:\.(\w+))?(?:\((\w+):\))?$/.exec(coordinate) ?? [];
  return { type, member, argument };
}

/** The place of the definition. */
export const coordinatePlace = (schema: GraphQLSchema, coordinate: string): Place | undefined =>
  placeOf(elementAt(schema, coordinate)?.astNode);

/** The text of the definition; of an argument, that of its field. */
export function definitionAt(schema: GraphQLSchema, coordinate: string): string | undefined {
  const node = elementAt(schema, coordinate.replace(/\(.*/, ""))?.astNode;
  return node ? print(node) : undefined;
}

type Element = { readonly astNode?: ASTNode | null | undefined };

/** The last part of the coordinate; `undefined` if the schema has none there, or if it is no coordinate. */
function elementAt(schema: GraphQLSchema, coordinate: string): Element | undefined {
  try {
    const { kind: _, ...parts } = resolveSchemaCoordinate(schema, coordinate) ?? { kind: undefined };
    return Object.values<Element>(parts).at(-1);
  } catch {
    return undefined;
  }
}
