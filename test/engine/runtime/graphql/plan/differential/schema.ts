/**
 * Creates a random schema with each kind of generated resolver: `property`, `propertyAt`, `itself`, `entries`, calls, batched
 * `level`s, and members chosen by a discriminator or by a property that they have. A field name has one type in all object types, so that selections on a union's members merge.
 * The source of its value differs by object type.
 */
import type { GraphQLSchema } from "graphql";
import type { Resolver } from "../../../../../../src/engine/runtime/graphql/executable-schema.ts";
import { executableSchema } from "../../../../../../src/engine/runtime/graphql/executable-schema.ts";
import { batchEach, batchMany, batchOne } from "../../../../../../src/engine/runtime/rest/batch.ts";
import { level } from "../../../../../../src/engine/runtime/rest/level.ts";
import { entries, itself, property, propertyAt } from "../../../../../../src/engine/runtime/rest/property.ts";
import {
  resolveTypeByProperty,
  resolveTypeByValue,
} from "../../../../../../src/engine/runtime/rest/resolve-type.ts";
import { Random } from "../../../../../support/random.ts";
import type { FakeRest } from "./answers.ts";
import { onGraphqlJs } from "./on-graphql-js.ts";

/** A batched link: its key, the matching of items to parents, and the number of keys in a chunk. */
export type Link = { readonly key: string; readonly shape: "one" | "many" | "each"; readonly size: number };

export type RandomSchema = {
  readonly text: string;
  readonly schema: GraphQLSchema;
  /** The same schema on graphql-js. */
  readonly reference: GraphQLSchema;
  /** That schema with nullable fields and items everywhere. */
  readonly nullable: GraphQLSchema;
  /** Batched links by coordinate. */
  readonly links: ReadonlyMap<string, Link>;
};

type Field = { readonly name: string; readonly type: string; readonly args: string; readonly mark: string };
type Context = { readonly rest: FakeRest };
type Args = Readonly<Record<string, unknown>>;
type Parent = Readonly<Record<string, unknown>>;

const leaves = ["String", "Int", "Float", "Boolean", "ID", "Mood", "Any", "DateTime"];
const argumentsOf = [
  "",
  "(a: Int)",
  '(b: String = "x", e: Mood = SAD)',
  "(l: [Int!], d: Boolean! = true)",
  "(i: Filter)",
  "(r: Int!, m: [Mood] = [GLAD])",
];
/** REST names that a careless read of a property would get wrong. */
const oddNames = ["constructor", "__proto__", "toString", "a-b", "with space", "0", "hasOwnProperty"];
const moods = { GLAD: "glad-1", SAD: "sad/2", CALM: 3 };

export function randomSchema(...seed: readonly unknown[]): RandomSchema {
  const random = new Random(...seed, "schema");
  const objects = random.times(2 + random.int(3), (index) => `O${index}`);
  const hasInterface = random.chance(0.6);
  const hasUnion = random.chance(0.6);
  const composites = [...objects, ...(hasInterface ? ["Face"] : []), ...(hasUnion ? ["Pack"] : []), "Entry"];
  const pool = fieldPool(random, composites);
  const shared = random.some(pool, 0.3, 1);
  const links = new Map<string, Link>();
  const resolvers: Record<string, Record<string, unknown>> = { Mood: moods, Entry: entry };
  const parts = [inputs, "type Entry {\n  key: String!\n  value: O0\n  below: [Entry]\n}"];
  for (const type of objects) {
    const implementing = hasInterface && random.chance(0.7);
    const fields = [...new Set([...(implementing ? shared : []), ...random.some(pool, 0.6, 2)])];
    resolvers[type] = Object.fromEntries(
      fields.map((field) => [field.name, resolverOf(random, type, field, objects, links)]),
    );
    parts.push(`type ${type}${implementing ? " implements Face" : ""} {\n${printed(fields)}\n}`);
  }
  const discriminator = Object.fromEntries(objects.map((type) => [`is-${type}`, type]));
  const byProperty = Object.fromEntries(objects.map((type) => [`only-${type}`, type]));
  const chooser = {
    __resolveType: random.chance(0.5)
      ? (parent: Parent) => resolveTypeByValue(parent.kind, discriminator)
      : (parent: Parent) => resolveTypeByProperty(parent, byProperty),
  };
  if (hasInterface) parts.push(`interface Face {\n${printed(shared)}\n}`);
  if (hasUnion) parts.push(`union Pack = ${random.some(objects, 0.7, 2).join(" | ")}`);
  if (hasInterface) resolvers.Face = chooser;
  if (hasUnion) resolvers.Pack = chooser;
  const argumentSchemas: Record<string, Record<string, object>> = {};
  for (const [type, count] of [
    ["Query", 5],
    ["Mutation", 3],
  ] as const) {
    const fields = random.times(count, (index) =>
      rootField(random, `${type[0]?.toLowerCase()}${index}`, composites),
    );
    resolvers[type] = Object.fromEntries(fields.map(({ name }) => [name, callOf(`${type}.${name}`)]));
    for (const { name, args } of fields)
      if (args.includes("a: Int"))
        argumentSchemas[`${type}.${name}`] = { a: { type: "integer", maximum: 5 } };
    parts.push(`type ${type} {\n${printed(fields)}\n}`);
  }
  const text = parts.join("\n");
  const executable = (typeDefs: string): GraphQLSchema =>
    executableSchema(typeDefs, { resolvers, argumentSchemas, argumentNames: {} });
  let nullable: GraphQLSchema | undefined;
  return {
    text,
    schema: executable(text),
    reference: onGraphqlJs(executable(text)),
    links,
    get nullable() {
      nullable ??= onGraphqlJs(
        executable(text.replace(/: [\w[\]!]+(?=$| @)/gm, (type) => type.replaceAll("!", ""))),
      );
      return nullable;
    },
  };
}

/** An entry of a map. Its value may be a map in turn. */
const entry = { key: property("key"), value: property("value"), below: entries("value") };

const inputs = `directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
scalar Any
scalar DateTime
enum Mood { GLAD SAD CALM }
input Filter {
  a: Int = 7
  b: [String!]
  e: Mood
  n: Filter
  r: Boolean! = false
}`;

const printed = (fields: readonly Field[]): string =>
  fields.map(({ name, type, args, mark }) => `  ${name}${args}: ${type}${mark}`).join("\n");

function fieldPool(random: Random, composites: readonly string[]): Field[] {
  return random.times(12, (index) => {
    const named = index < 5 ? random.pick(leaves) : index < 6 ? "String" : random.pick(composites);
    const type = wrapped(random, named);
    const args = random.chance(0.3) ? random.pick(argumentsOf) : "";
    return { name: `f${index}`, type, args, mark: markOf(random, type) };
  });
}

function rootField(random: Random, name: string, composites: readonly string[]): Field {
  const named = random.chance(0.8) ? random.pick(composites) : random.pick(leaves);
  const type = random.chance(0.85) ? wrapped(random, named).replace(/!$/, "") : wrapped(random, named);
  const args = random.chance(0.5) ? random.pick(argumentsOf) : "";
  return { name, type, args, mark: markOf(random, type) };
}

function wrapped(random: Random, named: string): string {
  let type = named + bang(random);
  for (let depth = random.pick([0, 0, 0, 1, 1, 2]); depth > 0; depth--) type = `[${type}]${bang(random)}`;
  return type;
}

/** `@semanticNonNull` for some levels at which the type allows null. */
function markOf(random: Random, type: string): string {
  const depth = type.lastIndexOf("[") + 1;
  const bangs = type
    .replace(/^[[\w]+/, "")
    .split("]")
    .reverse();
  const levels = [...Array(depth + 1).keys()].filter((level) => bangs[level] !== "!" && random.chance(0.2));
  return levels.length > 0 ? ` @semanticNonNull(levels: [${levels}])` : "";
}

const bang = (random: Random): string => (random.chance(0.4) ? "!" : "");

function resolverOf(
  random: Random,
  type: string,
  field: Field,
  objects: readonly string[],
  links: Map<string, Link>,
): unknown {
  const coordinate = `${type}.${field.name}`;
  const [, lists = "", named = ""] = /^(\[*)(\w+)/.exec(field.type) ?? [];
  if (!/^(O\d|Face|Pack|Entry)$/.test(named)) {
    if (field.args || random.chance(0.1)) return callOf(coordinate);
    if (random.chance(0.2)) return propertyAt(`nest_${field.name}`, random.pick(["deep", ...oddNames]));
    return property(random.chance(0.15) ? random.pick(oddNames) : `rest_${field.name}`);
  }
  const isObject = objects.includes(named);
  if (!field.args && named === "Entry" && lists !== "" && random.chance(0.8))
    return random.chance(0.1) ? entries() : entries(`map_${field.name}`);
  if (!field.args && random.chance(0.3)) return property(`rest_${field.name}`);
  if (!field.args && isObject && lists === "" && random.chance(0.15)) return itself;
  if (lists.length > 1 || random.chance(0.15)) return callOf(coordinate);
  const shape = lists === "" ? "one" : random.pick(["many", "each"] as const);
  const link: Link = { key: `key_${field.name}`, shape, size: random.pick([1, 2, 3, 100]) };
  links.set(coordinate, link);
  return levelOf(coordinate, link);
}

const callOf =
  (coordinate: string): Resolver =>
  (parent, args, context) => {
    const { rest } = context as Context;
    const of = (parent as Parent | undefined)?.id;
    const init = { query: { ...args, of } };
    return coordinate.startsWith("Mutation.") ? rest.post(coordinate, init) : rest.get(coordinate, init);
  };

function levelOf(coordinate: string, { key, shape, size }: Link): unknown {
  const fetchWith = (args: Args, context: unknown) => async (ids: unknown[]) =>
    (await (context as Context).rest.get(coordinate, { query: { ...args, ids } })) as Parent[];
  return level(async (parents: readonly Parent[], args: Args, context) => {
    const keys = parents.map((parent) => parent[key]);
    const fetch = fetchWith(args, context);
    if (shape === "each") return batchEach(keys as string[][], size, "id", fetch);
    const batch = shape === "one" ? batchOne : batchMany;
    return batch<string, "id", Parent>(keys as string[], size, "id", fetch) as Promise<unknown[]>;
  });
}
