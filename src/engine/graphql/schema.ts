/**
 * Builds the executable schema from the generated schema and the generated resolvers. Arguments are held to REST's
 * limits.
 */
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { type GraphQLField, type GraphQLSchema, isObjectType } from "graphql";
import type { CodedError } from "../errors.ts";
import type { GeneratedApi } from "../rest/api.ts";
import { enclosingOf } from "../rest/inherit.ts";
import type { LevelResolver } from "../rest/level.ts";
import { callsRest } from "../rest/property.ts";
import type { AnyContext } from "../rest/rest.ts";
import { addDateCoercions } from "./date-scalars.ts";
import { type Args, argumentChecks } from "./errors/argument-check.ts";
import { argumentNamer } from "./errors/argument-names.ts";

type Level = LevelResolver<unknown, Args, AnyContext, unknown>;
/** A generated resolver. `inherits`: the types of the enclosing objects that it takes values from. */
export type Resolver = ((parent: unknown, args: Args, context: never, info: object) => unknown) & {
  level?: LevelResolver<unknown, Args, never, unknown>;
  inherits?: readonly string[];
};

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

/**
 * Wraps a resolver: checks its arguments before the call, tells the REST client the coordinate of the field whose calls
 * begin, and renames REST's names in its errors.
 */
function speakingGraphql(
  { argumentSchemas, argumentNames }: Parts,
  type: string,
  { name, args: declared }: GraphQLField<unknown, unknown>,
  resolve: Resolver,
): Resolver {
  if (!callsRest(resolve)) return resolve;
  const coordinate = `${type}.${name}`;
  const { level, inherits } = resolve;
  const { [coordinate]: schemas = {} } = argumentSchemas;
  const { [coordinate]: names = {} } = argumentNames;
  const isNamed = declared.length > 0 || coordinate in argumentSchemas || coordinate in argumentNames;
  const checks = argumentChecks(schemas, declared);
  const named = argumentNamer({ names, schemas, args: declared });
  const fail = (error: unknown): never => {
    throw named(error);
  };
  const begin = (fault: CodedError | undefined, { rest }: AnyContext): void => {
    if (fault) throw fault;
    rest.coordinate = coordinate;
  };
  const told: Resolver = (parent, args, context: AnyContext, info) => {
    begin(checks.own(args, context) ?? checks.above?.(enclosingOf(info), context), context);
    const result = resolve(parent, args, context as never, info);
    return result instanceof Promise && isNamed ? result.catch(fail) : result;
  };
  const resolveLevel: Level = (parents, args, context, enclosing) => {
    begin(checks.own(args, context), context);
    const results = level?.(parents, args, context as never, enclosing) ?? Promise.resolve([]);
    return isNamed ? results.then((all) => all.map(named), fail) : results;
  };
  /** A parent whose argument from above is refused has an error, and the others are resolved without it. */
  const resolveSound: Level = async (parents, args, context, enclosing) => {
    const faults = enclosing.map((each) => checks.above?.(each, context));
    const sound = [...parents.keys()].filter((index) => faults[index] === undefined);
    const found = await resolveLevel(
      sound.map((index) => parents[index]),
      args,
      context,
      sound.map((index) => enclosing[index]),
    );
    const results = new Map(sound.map((index, place) => [index, found[place]]));
    return parents.map((_, index) => faults[index] ?? results.get(index));
  };
  return Object.assign(
    told,
    level && { level: (checks.above ? resolveSound : resolveLevel) as never },
    inherits && { inherits },
  );
}
