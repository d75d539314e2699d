/** The object types of a schema: its roots, their fields, and what a field may return. */
import {
  type GraphQLField,
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

type Field = GraphQLField<unknown, unknown>;

/** The fields of an object type; none of any other type. */
export const fieldsOf = (schema: GraphQLSchema, type: string): Field[] => {
  const owner = schema.getType(type);
  return isObjectType(owner) ? Object.values(owner.getFields()) : [];
};

/** The fields of all object types. */
export const allFields = (schema: GraphQLSchema): { readonly type: string; readonly field: Field }[] =>
  Object.keys(schema.getTypeMap()).flatMap((type) =>
    fieldsOf(schema, type).map((field) => ({ type, field })),
  );

/** The type itself, its items, or any member of a union or interface; none for a scalar or an enum. */
export function objectTypesOf(schema: GraphQLSchema, type: GraphQLOutputType): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  return isAbstractType(named) ? schema.getPossibleTypes(named) : [named].filter(isObjectType);
}
