/**
 * The fields of a federation subgraph: `_service` returns its schema for composition, and `_entities` resolves the
 * representations that a federation gateway sends
 * (https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec). Each representation is
 * validated like an argument, and an invalid representation does not fail the others.
 */
import {
  coerceInputValue,
  extendSchema,
  type GraphQLArgument,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  type GraphQLUnionType,
  isInputType,
  parse,
} from "graphql";
import { isRecord } from "../../shared/json-object.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import { batchOne, unwritableItems } from "../rest/batch.ts";
import type { EntityReference } from "../rest/generated-api.ts";
import { property } from "../rest/property.ts";
import type { ExecutionContext } from "../rest/rest-context.ts";
import { mostRepresentations } from "../settings/capacity.ts";
import type { Args } from "./errors/argument-check.ts";
import { type CallSource, type ResolveLevel, toError } from "./plan/plan.ts";

export type Subgraph = {
  /** The text of the schema with federation's directives. */
  readonly sdl: string;
  readonly references: Readonly<Record<string, readonly EntityReference[]>>;
};

/**
 * Returns the source of the query field `name`, which resolves an entity by its key, like `__resolveReference` in Apollo's
 * subgraph library. Clients cannot select the field `name`.
 */
type ReferenceSource = (query: string, name: string, args: readonly GraphQLArgument[]) => CheckedSource;

/**
 * `check` returns the error for a key that REST would refuse. Before one REST call for many entities, `check` is called for each
 * key, so that a refused key affects only its own entity.
 */
type CheckedSource = CallSource & {
  readonly check: (key: Args, enclosing: undefined, context: ExecutionContext) => CodedError | undefined;
};

/** Returns the schema with the fields of a subgraph. `complete` adds the resolvers of all other fields. */
export function withEntities(
  schema: GraphQLSchema,
  { sdl, references }: Subgraph,
  complete: (schema: GraphQLSchema) => GraphQLSchema,
  referenceSource: ReferenceSource,
): GraphQLSchema {
  const query = schema.getQueryType()?.name ?? "Query";
  const names = Object.keys(references);
  const entities =
    names.length === 0
      ? ""
      : `scalar _Any union _Entity = ${names.join(" | ")}
        extend type ${query} { _entities(representations: [_Any!]!): [_Entity]! }`;
  const text = `type _Service { sdl: String! } extend type ${query} { _service: _Service! } ${entities}`;
  const extended = complete(
    extendSchema(schema, parse(text, { noLocation: true }), { assumeValid: true, assumeValidSDL: true }),
  );
  const fields = extended.getQueryType()?.getFields() ?? {};
  const service = extended.getType("_Service");
  if (fields._service) fields._service.resolve = callSource(() => [{ sdl }]) as never;
  if (service && "getFields" in service)
    Object.assign(service.getFields().sdl ?? {}, { resolve: property("sdl") });
  if (!fields._entities) return extended;
  const sourceOf = (name: string, args: readonly GraphQLArgument[]) => referenceSource(query, name, args);
  const types = new Map(
    Object.entries(references).map(([name, all]) => [
      name,
      all.map((reference) => entityResolver(extended, name, reference, sourceOf)),
    ]),
  );
  fields._entities.resolve = callSource((_parents, { representations }, context) =>
    resolveEntities(types, representations as readonly unknown[], context).then((found) => [found]),
  ) as never;
  const union = extended.getType("_Entity") as GraphQLUnionType;
  union.resolveType = (value: unknown) => (isRecord(value) ? (value as Entity)[entityType] : undefined);
  return extended;
}

function callSource(resolve: ResolveLevel) {
  const source: CallSource = { kind: "call", resolve };
  return Object.assign(() => undefined, { source });
}

/**
 * Marks an entity with its GraphQL type. REST's objects do not contain the type, and one object may be an entity of two types.
 */
const entityType = Symbol("entityType");
type Entity = Record<string, unknown> & { [entityType]?: string };

/** The values of an entity's key, by argument name. */
type KeyValues = Dictionary<unknown>;

type SourceOf = (field: string, args: readonly GraphQLArgument[]) => CheckedSource;

type EntityResolver = {
  /** The field set of the key, for messages. */
  readonly fields: string;
  /** Returns `undefined` if a field of the key is missing. Throws if a value has a wrong type. */
  readonly read: (representation: Readonly<Record<string, unknown>>) => KeyValues | undefined;
  /** Resolves with an object, null or an Error for each of `keys`. */
  readonly resolve: (keys: readonly KeyValues[], context: ExecutionContext) => Promise<readonly unknown[]>;
};

type TypedKey = EntityReference["keys"][number] & { readonly valueType: GraphQLInputType };

function entityResolver(
  schema: GraphQLSchema,
  type: string,
  reference: EntityReference,
  sourceOf: SourceOf,
): EntityResolver {
  const keys = reference.keys.map((key) => {
    const named = schema.getType(key.type);
    if (!isInputType(named)) throw new Error(`the key of ${type} has the unknown type ${key.type}`);
    return { ...key, valueType: named };
  });
  const read: EntityResolver["read"] = (representation) => {
    const values = new Dictionary<unknown>();
    for (const key of keys) {
      const given = key.path.reduce<unknown>(
        (object, step) => (isRecord(object) ? own(object, step) : undefined),
        representation,
      );
      const isMissing = given === undefined || given === null;
      if (isMissing && !key.isOptional) return undefined;
      if (!isMissing) values[key.argument] = keyValue(type, key, given);
    }
    return values;
  };
  const fields = keys
    .filter(({ isOptional }) => !isOptional)
    .map(({ path }) => path.join("."))
    .join(" ");
  return { fields, read, resolve: resolverOf(reference, keys, sourceOf) };
}

/** Coerces a value like an argument in graphql-js: the name of an enum value becomes the value that REST uses. */
function keyValue(type: string, { path, valueType, isInteger }: TypedKey, given: unknown): unknown {
  let isValid = typeof given !== "string" || given.isWellFormed();
  const value: unknown = coerceInputValue(given, valueType, () => {
    isValid = false;
  });
  const number = Number(value);
  if (isInteger && !(/^-?\d+$/.test(String(value)) && Number.isSafeInteger(number))) isValid = false;
  if (!isValid)
    throw new CodedError(
      "BAD_USER_INPUT",
      `"${path.join(".")}" of a representation of ${type} is not of the type ${valueType}`,
    );
  return isInteger ? number : value;
}

function resolverOf(
  { field, batch }: EntityReference,
  keys: readonly TypedKey[],
  sourceOf: SourceOf,
): EntityResolver["resolve"] {
  if (field === undefined)
    return async (values) =>
      values.map((each) =>
        Object.fromEntries(keys.map(({ argument, property }) => [property ?? argument, each[argument]])),
      );
  const args = keys.map(({ argument, valueType }) => argumentOf(argument, valueType, batch !== undefined));
  const { resolve, check, named = (error: Error) => error } = sourceOf(field, args);
  /** Calls the resolver of the query field with the arguments `values`. Throws if the resolver returns an error. */
  const call = async (values: KeyValues, context: ExecutionContext): Promise<unknown> => {
    const [called] = await resolve([undefined], values, context, [undefined]);
    const value: unknown = await called;
    if (value instanceof Error) throw value;
    return value;
  };
  const [key] = keys;
  if (batch === undefined || !key)
    return async (values, context) => {
      const settled = await Promise.allSettled(values.map((each) => call(each, context)));
      return settled.map((one) => (one.status === "fulfilled" ? one.value : named(toError(one.reason))));
    };
  const { argument } = key;
  const [first = "", ...deeper] = batch.match;
  return async (values, context) => {
    // a key that REST would refuse must not make the other keys fail
    const refusals = values.map((each) => check(each, undefined, context));
    const unwritable = new Set<string>();
    const noteUnwritable = (error: unknown): never => {
      for (const item of unwritableItems(error)) unwritable.add(String(item));
      throw error;
    };
    const found = await batchOne(
      values.map((each, index) => (refusals[index] ? null : (each[argument] as string | number))),
      batch.size,
      [first, ...deeper],
      (chunk) =>
        call(new Dictionary<unknown>({ [argument]: chunk }), context).catch(noteUnwritable) as Promise<
          readonly Record<string, unknown>[]
        >,
      "nullableKeys",
    );
    return found.map((each, index) => {
      // the error must not blame REST for a key that cannot be sent, because the key came from the federation gateway
      if (each instanceof Error && unwritable.has(String(values[index]?.[argument])))
        return new CodedError(
          "BAD_USER_INPUT",
          `the key "${argument}" of a representation cannot be sent to REST`,
        );
      return refusals[index] ?? (each instanceof Error ? named(each) : each);
    });
  };
}

const argumentOf = (name: string, type: GraphQLInputType, isList: boolean): GraphQLArgument => ({
  name,
  type: isList
    ? new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type as never)))
    : new GraphQLNonNull(type as never),
  description: undefined,
  defaultValue: undefined,
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
});

type DistinctKey = { readonly values: KeyValues; readonly indices: number[] };

async function resolveEntities(
  types: ReadonlyMap<string, readonly EntityResolver[]>,
  representations: readonly unknown[],
  context: ExecutionContext,
): Promise<readonly unknown[]> {
  if (representations.length > mostRepresentations)
    throw new CodedError("LIMIT_EXCEEDED", `_entities takes at most ${mostRepresentations} representations`);
  const results: unknown[] = representations.map(() => null);
  /** Groups equal representations, so that they are resolved only once. */
  const groups = new Map<EntityResolver, { type: string; wanted: Map<string, DistinctKey> }>();
  for (const [index, representation] of representations.entries()) {
    try {
      const { type, resolver, values } = readRepresentation(types, representation);
      const group = groups.get(resolver) ?? { type, wanted: new Map<string, DistinctKey>() };
      groups.set(resolver, group);
      const text = JSON.stringify(values);
      const same = group.wanted.get(text);
      if (same) same.indices.push(index);
      else group.wanted.set(text, { values, indices: [index] });
    } catch (error) {
      results[index] = error;
    }
  }
  const all = [...groups].map(async ([resolver, { type, wanted }]) => {
    const entries = [...wanted.values()];
    const keys = entries.map(({ values }) => values);
    const found = await resolver.resolve(keys, context);
    for (const [place, { indices }] of entries.entries()) {
      const value = entityOf(type, found[place]);
      for (const index of indices) results[index] = value;
    }
  });
  await Promise.all(all);
  return results;
}

function entityOf(type: string, value: unknown): unknown {
  if (value === null || value === undefined || value instanceof Error) return value ?? null;
  if (!isRecord(value)) return new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not an object");
  const entity: Entity = { ...value, [entityType]: type };
  return entity;
}

/** Throws a `CodedError` if the value is not a representation of an entity of this subgraph. */
function readRepresentation(types: ReadonlyMap<string, readonly EntityResolver[]>, representation: unknown) {
  const refuse = (message: string): never => {
    throw new CodedError("BAD_USER_INPUT", message);
  };
  if (!isRecord(representation)) return refuse("a representation is an object with __typename and a key");
  const type = own(representation, "__typename");
  if (typeof type !== "string") return refuse("a representation has no __typename");
  const resolvers = types.get(type);
  if (!resolvers) return refuse("the __typename of a representation is not an entity of this subgraph");
  for (const resolver of resolvers) {
    const values = resolver.read(representation);
    if (values) return { type, resolver, values };
  }
  const keys = resolvers.map(({ fields }) => `"${fields}"`).join(" or ");
  return refuse(`a representation of ${type} needs the key ${keys}`);
}
