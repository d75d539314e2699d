/**
 * The REST name of a schema element that does not write it: its own, or else the one REST name that a naming convention
 * turns into it (`created_at` → `createdAt`, `in-progress` → `IN_PROGRESS`). The first place that an element meets in the
 * OpenAPI document settles its name: an element has one.
 */
import type { GraphQLSchema } from "graphql";
import { type DirectiveCarrier, readRestName } from "./directives.ts";
import { enumValueName, fieldName } from "./graphql-names.ts";

/** An element keeps the name that was settled in GraphQL's own place for such facts. */
type Element = DirectiveCarrier & { readonly name: string; extensions: object };

const settled = Symbol("the REST name by convention");
type Settled = { readonly [settled]?: string };

/** Names of a place of the document, by what the convention makes of them. Each place is read once for a schema. */
const byConvention = Symbol("REST names by convention");
type Index = ReadonlyMap<string, readonly string[]>;
type Indexed = { readonly [byConvention]?: WeakMap<object, Index> };
type Names = Pick<ReadonlySet<string>, "has" | "keys">;

function indexOf(schema: GraphQLSchema, names: Names, convert: (name: string) => string): Index {
  const indexes = (schema.extensions as Indexed)[byConvention] ?? new WeakMap<object, Index>();
  schema.extensions = { ...schema.extensions, [byConvention]: indexes };
  const index = indexes.get(names) ?? Map.groupBy(names.keys(), convert);
  indexes.set(names, index);
  return index;
}

/** The REST name: the one in `@restName`, the settled one, or its own. */
export const restNameOf = (schema: GraphQLSchema, element: Element): string =>
  knownName(schema, element) ?? element.name;

const knownName = (schema: GraphQLSchema, element: Element): string | undefined =>
  readRestName(schema, element).name ?? (element.extensions as Settled)[settled];

/** The REST name among those that stand at a place of the document, for a field, an argument or an input field. */
export const restNameAmong = (
  schema: GraphQLSchema,
  element: Element,
  names: ReadonlySet<string> | ReadonlyMap<string, unknown>,
): string => settle(schema, element, names, fieldName);

/** The REST name among the values of an enum of the document, for an enum value. */
export const restValueAmong = (
  schema: GraphQLSchema,
  element: Element,
  values: ReadonlySet<string>,
): string => settle(schema, element, values, enumValueName);

function settle(
  schema: GraphQLSchema,
  element: Element,
  names: Names,
  convert: (name: string) => string,
): string {
  const known = knownName(schema, element);
  if (known !== undefined) return known;
  const fitting = names.has(element.name)
    ? [element.name]
    : (indexOf(schema, names, convert).get(element.name) ?? []);
  const [name = element.name, ...others] = fitting;
  if (fitting.length === 1) element.extensions = { ...element.extensions, [settled]: name };
  return others.length === 0 ? name : element.name;
}
