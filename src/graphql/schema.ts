/** The executable schema: the generated public schema with the generated resolvers, each argument held to REST's limits. */
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { type GraphQLSchema, isObjectType } from "graphql";
import { argumentNames, argumentSchemas } from "../../generated/arguments.ts";
import * as resolvers from "../../generated/resolvers.ts";
import { argumentCheck, type Resolver } from "./argument-check.ts";
import { withArgumentNames } from "./argument-names.ts";
import { isPlainObject } from "./plan/complete.ts";

/** What codegen knows of a field's arguments, by coordinate: their limits, and their names where REST's differ. */
type ArgumentFacts = {
  readonly schemas: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly names: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

export const buildSchema = (): GraphQLSchema =>
  executableSchema(
    readFileSync(new URL("../../generated/schema.graphql", import.meta.url), "utf8"),
    resolvers as unknown as Resolvers,
    { schemas: argumentSchemas, names: argumentNames },
  );

/** `noLocation` and `assumeValid`: codegen has validated the schema, and it is read at every start. */
export function executableSchema(typeDefs: string, byType: Resolvers, facts: ArgumentFacts): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: byType as never,
    assumeValid: true,
    assumeValidSDL: true,
    noLocation: true,
  });
  // set anew, because makeExecutableSchema binds resolvers and so drops what they say of themselves
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    if (type !== schema.getQueryType() && type !== schema.getMutationType()) type.isTypeOf = isPlainObject;
    for (const field of Object.values(type.getFields())) {
      const resolve = byType[type.name]?.[field.name];
      if (resolve) field.resolve = speakingGraphql(facts, `${type.name}.${field.name}`, resolve) as never;
    }
  }
  return schema;
}

/** The resolver of `coordinate`, its arguments checked before the call and named by their own names after it. */
function speakingGraphql(facts: ArgumentFacts, coordinate: string, resolve: Resolver): Resolver {
  const schemas = facts.schemas[coordinate];
  const names = facts.names[coordinate];
  const named = names ? withArgumentNames(names, resolve) : resolve;
  return schemas ? argumentCheck(schemas, named) : named;
}
