/** The executable schema: the generated public schema with the generated resolvers, each argument held to REST's limits. */
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { type GraphQLSchema, isObjectType } from "graphql";
import { argumentNames, argumentSchemas } from "../../generated/arguments.ts";
import * as resolvers from "../../generated/resolvers.ts";
import { argumentCheck, type Resolver } from "./argument-check.ts";
import { withArgumentNames } from "./argument-names.ts";
import { isPlainObject } from "./plan/complete.ts";

const typeDefs = (): string =>
  readFileSync(new URL("../../generated/schema.graphql", import.meta.url), "utf8");

const byType = resolvers as unknown as Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

/** `noLocation` and `assumeValid`: codegen has validated the schema, and it is read at every start. */
export function buildSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs: typeDefs(),
    resolvers: resolvers as never,
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
      if (resolve) field.resolve = speakingGraphql(`${type.name}.${field.name}`, resolve) as never;
    }
  }
  return schema;
}

/** The resolver of `coordinate`, its arguments checked before the call and named by their own names after it. */
function speakingGraphql(coordinate: string, resolve: Resolver): Resolver {
  const schemas = argumentSchemas[coordinate];
  const names = argumentNames[coordinate];
  const named = names ? withArgumentNames(names, resolve) : resolve;
  return schemas ? argumentCheck(schemas, named) : named;
}
