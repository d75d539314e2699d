/** Resolves schema coordinates (GraphQL §3.14): `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`, `@directive`. */
import {
  type ASTNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  type GraphQLType,
  print,
  resolveSchemaCoordinate,
} from "graphql";
import type { FileLocation } from "../diagnostic.ts";
import { nodeLocation } from "./directives.ts";

export const coordinateLocation = (schema: GraphQLSchema, coordinate: string): FileLocation | undefined =>
  nodeLocation(elementAt(schema, coordinate)?.astNode);

/** Returns the definition of a schema element as SDL. For an argument, returns the definition of its field. */
export function definitionAt(schema: GraphQLSchema, coordinate: string): string | undefined {
  const node = elementAt(schema, fieldOf(coordinate))?.astNode;
  return node ? print(node) : undefined;
}

/** `Type.field(argument:)` → `Type.field`. Other coordinates are unchanged. */
export const fieldOf = (coordinate: string): string => coordinate.replace(/\(.*/, "");

/** Returns `undefined` for a coordinate that does not exist in the schema. */
function resolvedAt(schema: GraphQLSchema, coordinate: string) {
  try {
    return resolveSchemaCoordinate(schema, coordinate);
  } catch {
    return undefined;
  }
}

/** `type` is set for fields, arguments and input fields. */
type Element = { readonly astNode?: ASTNode | null | undefined; readonly type?: GraphQLType };

export function elementAt(schema: GraphQLSchema, coordinate: string): Element | undefined {
  const { kind: _, ...parts } = resolvedAt(schema, coordinate) ?? { kind: undefined };
  return Object.values<Element>(parts).at(-1);
}

export function inputAt(
  schema: GraphQLSchema,
  coordinate: string,
): GraphQLArgument | GraphQLInputField | undefined {
  const found = resolvedAt(schema, coordinate);
  if (found?.kind === "InputField") return found.inputField;
  return found?.kind === "FieldArgument" ? found.fieldArgument : undefined;
}
