/** Resolvers of fields that read the parent's REST object. A plan does not call the resolver but evaluates its `source`. */
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import type { ValueAt } from "./openapi-types.ts";

/** How a plain field is computed: from a path of the parent's properties, or from the parent by a function without calls. */
export type PlainSource =
  | { readonly kind: "path"; readonly names: readonly string[] }
  | { readonly kind: "computed"; readonly compute: (parent: object) => unknown };

/**
 * Whether a resolver calls REST. A generated resolver that calls REST has no `source`. A resolver of the executable schema that
 * calls REST has a `source` of kind `call`.
 */
export function callsRest(resolve: object): boolean {
  const { source } = resolve as { readonly source?: { readonly kind: string } };
  return source === undefined || source.kind === "call";
}

const reader = <Resolve extends object>(names: readonly string[], resolve: Resolve) =>
  Object.assign(resolve, { source: { kind: "path", names } as PlainSource });

export const property = <const Name extends string>(name: Name) =>
  reader(
    [name],
    <Parent extends { readonly [key in Name]?: unknown }>(parent: Parent) =>
      valueAt(parent, [name]) as Parent[Name],
  );

/** Reads a property of a nested REST object; null if a property on the path is null. */
export const propertyAt = <const Names extends readonly string[]>(...names: Names) =>
  reader(names, <Parent>(parent: Parent) => valueAt(parent, names) as ValueAt<Parent, Names>);

/**
 * Reads a field of another subgraph (`@external`) from a representation, which has it if a field requires it (`@requires`). The
 * plan reads the property directly and never calls this function, hence the return type `never`.
 */
export const external = (name: string) =>
  reader([name], (): never => {
    throw new Error("a plan reads an external field");
  });

/** Returns the parent itself (`@restName(self: true)`). */
export const itself = reader([], <Parent>(parent: Parent): Parent => parent);

/** Returns a value of the parent that a call needs. Throws `BAD_UPSTREAM_RESPONSE` if the value is missing or null. */
export function required<Value>(value: Value): NonNullable<Value> {
  if (value === null || value === undefined) throw lacksKey();
  return value;
}

/** The error of a link whose call cannot be made: the parent lacks a value that the call needs. */
export const lacksKey = (): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer lacks a value that another call needs");

/**
 * Rejects with `BAD_UPSTREAM_RESPONSE` if REST sends null, which the OpenAPI document forbids here. The GraphQL field is nullable
 * only for the case that no call is made.
 */
export async function neverNull<Value>(answer: Promise<Value>): Promise<NonNullable<Value>> {
  const value = await answer;
  if (value !== null && value !== undefined) return value;
  throw new CodedError("BAD_UPSTREAM_RESPONSE", "REST sent a value that breaks its contract");
}

/** Whether a list of keys is empty. It must not be sent: REST could ignore the empty filter and return everything. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The type of a REST map in GraphQL: a list of entries. Lists of maps become lists of lists. */
export type Entries<Value> = Value extends readonly (infer Item)[]
  ? Entries<Item>[]
  : Value extends object
    ? { readonly key: string; readonly value: Value[keyof Value] }[]
    : Value;

/** Returns the entries of a map (`@restEntries`) in the order of `Object.entries`. */
function entriesIn<Value>(value: Value): Entries<Value>;
function entriesIn(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => entriesIn(item));
  if (typeof value !== "object") throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not a map");
  return Object.entries(value).map(([key, each]) => ({ key, value: each }));
}

/** Reads the entries of the map at a path in the parent. With no path, the parent is the map. */
export const entries = <const Names extends readonly string[]>(...names: Names) => {
  const compute = <Parent>(parent: Parent) => entriesIn(valueAt(parent, names) as ValueAt<Parent, Names>);
  return Object.assign(compute, { source: { kind: "computed", compute } as PlainSource });
};

/** Returns the entries of the map that a REST call returns. */
export const entriesFrom = <Value>(answer: Promise<Value>): Promise<Entries<Value>> =>
  answer.then((value) => entriesIn(value));

/**
 * Returns the value at a path of properties of a REST body; null if a property is missing. Throws if a value on the path is
 * neither null nor an object.
 */
export function valueAt(body: unknown, steps: readonly string[]): unknown {
  let value = body;
  for (const step of steps) {
    if (value === null || value === undefined) return null;
    if (typeof value !== "object" || Array.isArray(value)) {
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not an object");
    }
    value = own(value as Readonly<Record<string, unknown>>, step);
  }
  return value;
}
