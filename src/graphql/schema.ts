/** The executable schema: the generated public schema with the generated resolvers, each argument held to REST's limits. */
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { type GraphQLSchema, isObjectType } from "graphql";
import { argumentSchemas } from "../../generated/arguments.ts";
import * as resolvers from "../../generated/resolvers.ts";
import { argumentCheck, type Resolver } from "./argument-check.ts";
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
      const schemas = argumentSchemas[`${type.name}.${field.name}`];
      if (resolve) field.resolve = (schemas ? argumentCheck(schemas, resolve) : resolve) as never;
    }
  }
  return schema;
}
