/** Finds object types, their fields, and the types that they refer to. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import { bindingDefinitionNames } from "./directives.ts";

/** Returns `Query` and `Mutation`, because subscriptions are not supported. */
export const boundRoots = (schema: GraphQLSchema): GraphQLObjectType[] =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((root) => root ?? []);

type Field = GraphQLField<unknown, unknown>;

export const fieldsOf = (schema: GraphQLSchema, type: string): Field[] => {
  const owner = schema.getType(type);
  return isObjectType(owner) ? Object.values(owner.getFields()) : [];
};

export const allFields = (schema: GraphQLSchema): { readonly type: string; readonly field: Field }[] =>
  Object.keys(schema.getTypeMap()).flatMap((type) =>
    fieldsOf(schema, type).map((field) => ({ type, field })),
  );

/** Returns the named type if it is an object type, or all object types of a union or interface. */
export function objectTypesOf(schema: GraphQLSchema, type: GraphQLOutputType): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  return isAbstractType(named) ? schema.getPossibleTypes(named) : [named].filter(isObjectType);
}

/**
 * Returns the types that no operation can select or send, except built-in types and those of the binding directives. `entities`:
 * types that federation resolves. `without`: fields to ignore.
 */
export function unreachableTypes(
  schema: GraphQLSchema,
  entities: readonly string[] = [],
  without: ReadonlySet<string> = new Set(),
): GraphQLNamedType[] {
  const roots = [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
    ...entities.map((name) => schema.getType(name)),
  ];
  const reached = new Set<GraphQLNamedType>(roots.flatMap((root) => root ?? []));
  for (const { args } of schema.getDirectives()) for (const { type } of args) reached.add(getNamedType(type));
  for (const type of reached) for (const next of referencedTypes(schema, type, without)) reached.add(next);
  return Object.values(schema.getTypeMap()).filter(
    (type) => type.astNode && !reached.has(type) && !bindingDefinitionNames.has(type.name),
  );
}

/** Returns `types` and all types that they refer to, directly or indirectly. */
export function typesBelow(
  schema: GraphQLSchema,
  types: readonly GraphQLNamedType[],
): ReadonlySet<GraphQLNamedType> {
  const reached = new Set(types);
  for (const each of reached) for (const next of referencedTypes(schema, each)) reached.add(next);
  return reached;
}

function referencedTypes(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  without: ReadonlySet<string> = new Set(),
): readonly GraphQLNamedType[] {
  const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => getNamedType(field.type));
  if (!isObjectType(type) && !isInterfaceType(type)) return members;
  const fields = Object.values(type.getFields()).filter(({ name }) => !without.has(`${type.name}.${name}`));
  const types = fields.flatMap((field) => [field.type, ...field.args.map((argument) => argument.type)]);
  return [...members, ...type.getInterfaces(), ...types.map((each) => getNamedType(each))];
}
