/**
 * Builds the executable schema from the generated schema and the generated resolvers. Arguments are held to REST's
 * limits.
 */
import { readFileSync } from "node:fs";
import { addResolversToSchema } from "@graphql-tools/schema";
import { buildASTSchema, type GraphQLField, type GraphQLSchema, isObjectType, parse } from "graphql";
import { own } from "../../shared/own.ts";
import type { GeneratedApi } from "../rest/generated-api.ts";
import { markOfArgument } from "../rest/inherited-values.ts";
import { type LevelResolver, level } from "../rest/level.ts";
import { callsRest } from "../rest/property.ts";
import type { AnyContext } from "../rest/rest-context.ts";
import { addDateCoercions } from "./date-scalars.ts";
import { type Args, argumentCheck } from "./errors/argument-check.ts";
import { argumentErrorTranslator } from "./errors/argument-names.ts";
import { addNumberCoercions } from "./exact-numbers.ts";
import { type CallSource, type ResolveLevel, toError } from "./plan/plan.ts";

/** A generated resolver. `inherits`: the types of the enclosing objects that it takes values from. */
export type Resolver = ((parent: unknown, args: Args, context: never, enclosing: unknown) => unknown) & {
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
  const typesOnly = buildASTSchema(parse(typeDefs, { noLocation: true }), {
    assumeValid: true,
    assumeValidSDL: true,
  });
  const ofOtherTypes = Object.entries(byType).filter(([name]) => !isObjectType(typesOnly.getType(name)));
  const schema = addResolversToSchema({
    schema: typesOnly,
    resolvers: Object.fromEntries(ofOtherTypes) as never,
  });
  addDateCoercions(schema);
  addNumberCoercions(schema);
  // not by addResolversToSchema, which binds resolvers and so drops their properties (`source`, `level`, `inherits`)
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

/**
 * Makes a generated resolver one of a whole level: checks its arguments before the call, and gives it a REST client whose
 * calls name the field. `named` gives the client's names to REST's errors.
 */
function toLevelResolver(
  { argumentSchemas, argumentNames }: Parts,
  type: string,
  { name, args: declared }: GraphQLField<unknown, unknown>,
  resolve: Resolver,
): Resolver {
  if (!callsRest(resolve)) return resolve;
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
  const source: CallSource = { kind: "call", resolve: resolveLevel, named };
  return Object.assign(level(resolveLevel as never), { source }, inherits && { inherits });
}

/** A resolver of one parent, for all parents of a level. */
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
