/**
 * Descriptions of operations, fragments and variables (GraphQL September 2025, §2.4). Descriptions have no effect on execution,
 * so the identity of an operation does not depend on them.
 */
import { type ASTNode, type DocumentNode, type StringValueNode, visit } from "graphql";

const withoutDescription = <Node extends ASTNode & { readonly description?: StringValueNode | undefined }>({
  description,
  ...node
}: Node) => (description ? node : undefined);

/** Returns the same document if it has no descriptions. */
export const withoutDescriptions = (document: DocumentNode): DocumentNode =>
  visit(document, {
    OperationDefinition: withoutDescription,
    FragmentDefinition: withoutDescription,
    VariableDefinition: withoutDescription,
  });
