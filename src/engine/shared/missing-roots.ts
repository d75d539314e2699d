/**
 * Rejects an operation if the schema has no root type for it, such as a mutation if there is no `Mutation` type (GraphQL
 * §5.2.1.1). graphql-js checks this only when it executes the operation.
 */
import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind } from "graphql";

export const missingRootTypes = (schema: GraphQLSchema, { definitions }: DocumentNode): GraphQLError[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && !schema.getRootType(node.operation)
      ? [new GraphQLError(`the schema has no ${node.operation} operations`, { nodes: node })]
      : [],
  );
