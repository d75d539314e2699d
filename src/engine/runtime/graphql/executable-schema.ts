/** Builds the executable schema from the generated schema and resolvers. Resolvers check arguments against REST's limits. */
import { readFileSync } from "node:fs";
import { addResolversToSchema } from "@graphql-tools/schema";
import { buildASTSchema, type GraphQLField, type GraphQLSchema, isObjectType, parse } from "graphql";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import type { GeneratedApi } from "../rest/generated-api.ts";
import { markOfArgument } from "../rest/inherited-values.ts";
import { type LevelResolver, level } from "../rest/level.ts";
import { callsRest } from "../rest/property.ts";
import type { AnyContext } from "../rest/rest-context.ts";
import { addDateCoercions } from "./date-scalars.ts";
import { withEntities } from "./entities.ts";
import { type Args, argumentCheck } from "./errors/argument-check.ts";
import { argumentErrorTranslator } from "./errors/argument-names.ts";
import { addNumberCoercions } from "./exact-numbers.ts";
import { type CallSource, type ResolveLevel, toError } from "./plan/plan.ts";

/** A generated resolver. `inherits` names the enclosing types whose properties the resolver uses. */
export type Resolver = ((parent: unknown, args: Args, context: never, enclosing: unknown) => unknown) & {
  level?: LevelResolver<unknown, Args, never, unknown>;
  inherits?: readonly string[];
};

type Parts = Pick<GeneratedApi, "resolvers" | "argumentSchemas" | "argumentNames">;
type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

export function buildSchema(api: GeneratedApi): GraphQLSchema {
  const typeDefs = readFileSync(api.schema, "utf8");
  const { subgraph } = api;
  if (!subgraph) return executableSchema(typeDefs, api);
  const { references } = subgraph;
  const byType = api.resolvers as Resolvers;
  return withEntities(
    typesOf(typeDefs),
    { sdl: readFileSync(subgraph.schema, "utf8"), references },
    (schema) => withResolvers(schema, api),
    (query, name, args) => {
      const resolve = own(own(byType, query) ?? {}, name);
      if (!resolve) throw new Error(`there is no resolver ${query}.${name}`);
      const check = argumentCheck(itemSchemas(own(api.argumentSchemas, `${query}.${name}`)), args);
      return { ...callSource(api, query, { name, args }, resolve), check };
    },
  );
}

/** Returns the item schemas of all list arguments. */
const itemSchemas = (schemas: Readonly<Record<string, object>> = {}): Record<string, object> =>
  Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const { items } = membersOf(schema);
      return isRecord(items) ? [[name, items]] : [];
    }),
  );

export const executableSchema = (typeDefs: string, parts: Parts): GraphQLSchema =>
  withResolvers(typesOf(typeDefs), parts);

/** Skips locations and validation: they would slow down each start, and codegen has validated the schema. */
const typesOf = (typeDefs: string): GraphQLSchema =>
  buildASTSchema(parse(typeDefs, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });

function withResolvers(typesOnly: GraphQLSchema, parts: Parts): GraphQLSchema {
  const byType = parts.resolvers as Resolvers;
  const ofOtherTypes = Object.entries(byType).filter(([name]) => !isObjectType(typesOnly.getType(name)));
  const schema = addResolversToSchema({
    schema: typesOnly,
    resolvers: Object.fromEntries(ofOtherTypes) as never,
  });
  addDateCoercions(schema);
  addNumberCoercions(schema);
  // addResolversToSchema is not used for object types, because it replaces each resolver by a bound function without the
  // resolver's properties (`source`, `level`, `inherits`)
  for (const [name, resolvers] of Object.entries(byType)) {
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = own(resolvers, field.name);
      if (resolve) field.resolve = toLevelResolver(parts, name, field, resolve) as never;
    }
  }
  return schema;
}

/** Turns a generated resolver that calls REST into one that resolves all parents of a level at once. */
function toLevelResolver(
  parts: Parts,
  type: string,
  field: GraphQLField<unknown, unknown>,
  resolve: Resolver,
): Resolver {
  if (!callsRest(resolve)) return resolve;
  const { inherits } = resolve;
  const source = callSource(parts, type, field, resolve);
  return Object.assign(level(source.resolve as never), { source }, inherits && { inherits });
}

/**
 * Returns the `CallSource` of a field, which checks the arguments, creates a REST client for the field, and calls the generated
 * resolver for all parent objects of a level. Its function `named` translates REST names in errors to names of the schema.
 */
function callSource(
  { argumentSchemas, argumentNames }: Parts,
  type: string,
  { name, args: declared }: Pick<GraphQLField<unknown, unknown>, "name" | "args">,
  resolve: Resolver,
): CallSource {
  const coordinate = `${type}.${name}`;
  const { inherits } = resolve;
  const schemas = own(argumentSchemas, coordinate);
  const names = own(argumentNames, coordinate);
  const check = argumentCheck(schemas ?? {}, declared);
  const resolveAll = (resolve.level as ResolveLevel<AnyContext> | undefined) ?? ofEach(resolve);
  const resolveLevel: ResolveLevel = (parents, args, context, enclosing) => {
    const fault = check(args, enclosing[0], context);
    if (fault) throw fault;
    return resolveAll(parents, args, { rest: context.rest.forField(coordinate) }, enclosing);
  };
  const inheritsArguments = inherits?.some((mark) => mark.startsWith(markOfArgument(""))) ?? false;
  const named = argumentErrorTranslator({
    names: names ?? {},
    schemas: schemas ?? {},
    args: declared,
    inheritsArguments,
  });
  return { kind: "call", resolve: resolveLevel, named };
}

/** Calls a single-parent resolver for each parent of a level. */
const ofEach =
  (resolve: Resolver): ResolveLevel<AnyContext> =>
  (parents, args, context, enclosing) => {
    const call = (parent: unknown, index: number): unknown =>
      resolve(parent, args, context as never, enclosing[index]);
    if (parents.length === 1) return [call(parents[0], 0)];
    return Promise.allSettled(parents.map(async (parent, index) => call(parent, index))).then((settled) =>
      settled.map((one) => (one.status === "fulfilled" ? one.value : toError(one.reason))),
    );
  };
