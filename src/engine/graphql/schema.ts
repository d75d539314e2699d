/**
 * Builds the executable schema from the generated schema and the generated resolvers. Arguments are held to REST's
 * limits.
 */
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { type GraphQLField, type GraphQLSchema, isObjectType } from "graphql";
import type { GeneratedApi } from "../rest/api.ts";
import type { AnyContext } from "../rest/context.ts";
import type { LevelResolver } from "../rest/level.ts";
import { callsRest } from "../rest/property.ts";
import { addDateCoercions } from "./date-scalars.ts";
import { type Args, argumentCheck, type Resolver } from "./errors/argument-check.ts";
import { withArgumentNames } from "./errors/argument-names.ts";

/** The parts of the generated value that an executable schema is built of. */
type Parts = Pick<GeneratedApi, "resolvers" | "argumentSchemas" | "argumentNames">;
type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

export const buildSchema = (api: GeneratedApi): GraphQLSchema =>
  executableSchema(readFileSync(api.schema, "utf8"), api);

/** Skips locations and validation: codegen has validated the schema, and each start reads it. */
export function executableSchema(typeDefs: string, parts: Parts): GraphQLSchema {
  const byType = parts.resolvers as Resolvers;
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: byType as never,
    assumeValid: true,
    assumeValidSDL: true,
    noLocation: true,
  });
  addDateCoercions(schema);
  // makeExecutableSchema binds resolvers and so drops their properties (`property`, `itself`, `made`, `level`, `inherits`)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = byType[type.name]?.[field.name];
      if (resolve) field.resolve = speakingGraphql(parts, type.name, field, resolve) as never;
    }
  }
  return schema;
}

/** Wraps a resolver: checks its arguments before the call, and renames REST's names in its errors. */
function speakingGraphql(
  { argumentSchemas, argumentNames }: Parts,
  type: string,
  { name, args }: GraphQLField<unknown, unknown>,
  resolve: Resolver,
): Resolver {
  if (!callsRest(resolve)) return resolve;
  const coordinate = `${type}.${name}`;
  const { inherits } = resolve;
  const told = Object.assign(withCoordinate(coordinate, resolve), inherits && { inherits });
  const schemas = argumentSchemas[coordinate];
  const names = argumentNames[coordinate];
  if (args.length === 0 && !names && !schemas) return told;
  const named = withArgumentNames({ names: names ?? {}, schemas: schemas ?? {}, args }, told);
  const checked = schemas ? argumentCheck(schemas, args, named) : named;
  return Object.assign(checked, inherits && { inherits });
}

/** Tells the REST client the coordinate of the field whose calls begin. */
function withCoordinate(coordinate: string, resolve: Resolver): Resolver {
  const told: Resolver = (parent, args, context: AnyContext, info) => {
    context.rest.coordinate = coordinate;
    return resolve(parent, args, context as never, info);
  };
  const { level } = resolve;
  if (!level) return told;
  return Object.assign(told, {
    level: ((parents, args, context, enclosing) => {
      context.rest.coordinate = coordinate;
      return level(parents, args, context as never, enclosing);
    }) satisfies LevelResolver<unknown, Args, AnyContext, unknown>,
  });
}
