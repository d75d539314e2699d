/**
 * Removes the descriptions of operations, fragments and variables (GraphQL September 2025, §2.4) from a document. Descriptions
 * have no effect on execution, so two operations that differ only in descriptions are the same.
 */
import { type ASTNode, type DocumentNode, type StringValueNode, visit } from "graphql";

const withoutDescription = <Node extends ASTNode & { readonly description?: StringValueNode | undefined }>({
  description,
  ...node
}: Node) => (description ? node : undefined);

/** Returns the document without descriptions. If it has none, returns the same object. */
export const withoutDescriptions = (document: DocumentNode): DocumentNode =>
  visit(document, {
    OperationDefinition: withoutDescription,
    FragmentDefinition: withoutDescription,
    VariableDefinition: withoutDescription,
  });
