/** Refuses operations without a root type in the schema (GraphQL spec §5.2.1.1). graphql-js leaves that to the execution. */
import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind } from "graphql";

export const missingRootTypes = (schema: GraphQLSchema, { definitions }: DocumentNode): GraphQLError[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && !schema.getRootType(node.operation)
      ? [new GraphQLError(`the schema has no ${node.operation} operations`, { nodes: node })]
      : [],
  );
