/** Rejects operations without a root type in the schema (GraphQL §5.2.1.1), which graphql-js checks only during execution. */
import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind } from "graphql";

export const missingRootTypes = (schema: GraphQLSchema, { definitions }: DocumentNode): GraphQLError[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && !schema.getRootType(node.operation)
      ? [new GraphQLError(`the schema has no ${node.operation} operations`, { nodes: node })]
      : [],
  );
