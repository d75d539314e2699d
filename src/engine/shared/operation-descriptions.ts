/**
 * Descriptions of operations, fragments and variables (GraphQL spec of September 2025, §2.4). They say nothing to a server, so
 * the identity of an operation does not depend on them, as it does not on comments.
 */
import { type ASTNode, type DocumentNode, type StringValueNode, visit } from "graphql";

const withoutDescription = <Node extends ASTNode & { readonly description?: StringValueNode | undefined }>({
  description,
  ...node
}: Node) => (description ? node : undefined);

/** The same document if there are none. */
export const withoutDescriptions = (document: DocumentNode): DocumentNode =>
  visit(document, {
    OperationDefinition: withoutDescription,
    FragmentDefinition: withoutDescription,
    VariableDefinition: withoutDescription,
  });
