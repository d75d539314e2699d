/** The object types of a schema: its roots, their fields, and what a field may return. */
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from "graphql";

/** `Query` and `Mutation`, if the schema has them. REST has nothing to subscribe to. */
export const boundRoots = (schema: GraphQLSchema): GraphQLObjectType[] =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((root) => root ?? []);

export function fieldAt(schema: GraphQLSchema, type: string, field: string) {
  const owner = schema.getType(type);
  return isObjectType(owner) ? owner.getFields()[field] : undefined;
}

/** The type itself, its items, or any member of a union or interface; none for a scalar or an enum. */
export function objectTypesOf(schema: GraphQLSchema, type: GraphQLOutputType): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  return isAbstractType(named) ? schema.getPossibleTypes(named) : [named].filter(isObjectType);
}
