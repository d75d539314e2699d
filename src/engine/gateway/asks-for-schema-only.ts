/**
 * Judges whether a document can be answered from the schema alone. Names that begin with two underscores belong to
 * introspection (GraphQL §2.1.9, §4), so every root field of every operation must have one: `__schema`, `__type`,
 * `__typename`. Then all fields below them belong to the schema too. A fragment at the root is refused unread: tools
 * send none.
 */
import { type DefinitionNode, Kind, OperationTypeNode, parse, type SelectionNode } from "graphql";

/** Returns false for a text that is no document. */
export function asksForSchemaOnly(text: string, maxTokens: number): boolean {
  try {
    const { definitions } = parse(text, { noLocation: true, maxTokens });
    const others = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
    return others.length > 0 && others.every(isSchemaQuery);
  } catch {
    return false;
  }
}

const isSchemaQuery = (definition: DefinitionNode): boolean =>
  definition.kind === Kind.OPERATION_DEFINITION &&
  definition.operation === OperationTypeNode.QUERY &&
  definition.selectionSet.selections.every(isOfSchema);

const isOfSchema = (selection: SelectionNode): boolean =>
  selection.kind === Kind.FIELD && selection.name.value.startsWith("__");
