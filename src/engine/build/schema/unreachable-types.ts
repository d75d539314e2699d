/** Finds the types of a schema that no operation can select or send: no root reaches them. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import { bindingDefinitionNames } from "./directives.ts";

/** In schema order; the built-in types and those of the binding directives are left out. */
export function unreachableTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const reached = new Set<GraphQLNamedType>(roots.flatMap((root) => root ?? []));
  for (const { args } of schema.getDirectives()) for (const { type } of args) reached.add(getNamedType(type));
  for (const type of reached) for (const next of leadingOn(schema, type)) reached.add(next);
  return Object.values(schema.getTypeMap()).filter(
    (type) => type.astNode && !reached.has(type) && !bindingDefinitionNames.has(type.name),
  );
}

function leadingOn(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLNamedType[] {
  const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => getNamedType(field.type));
  if (!isObjectType(type) && !isInterfaceType(type)) return members;
  const fields = Object.values(type.getFields());
  const types = fields.flatMap((field) => [field.type, ...field.args.map((argument) => argument.type)]);
  return [...members, ...type.getInterfaces(), ...types.map((each) => getNamedType(each))];
}
