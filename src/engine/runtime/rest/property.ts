/** Resolvers of plain fields, which read their parent's REST object. A plan uses their `source` instead of calling them. */
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import type { ValueAt } from "./openapi-types.ts";

/**
 * Where a plain field gets its value: from a path of properties of its parent, or from a function of the parent that makes no
 * call.
 */
export type PlainSource =
  | { readonly kind: "path"; readonly names: readonly string[] }
  | { readonly kind: "computed"; readonly compute: (parent: object) => unknown };

/**
 * Whether a resolver calls REST: either a generated resolver without a `source`, or a resolver of the executable schema whose
 * `source` is a call.
 */
export function callsRest(resolve: object): boolean {
  const { source } = resolve as { readonly source?: { readonly kind: string } };
  return source === undefined || source.kind === "call";
}

const reader = <Resolve extends object>(names: readonly string[], resolve: Resolve) =>
  Object.assign(resolve, { source: { kind: "path", names } as PlainSource });

/** Reads one REST property. */
export const property = <const Name extends string>(name: Name) =>
  reader(
    [name],
    <Parent extends { readonly [key in Name]?: unknown }>(parent: Parent) =>
      valueAt(parent, [name]) as Parent[Name],
  );

/** Reads a REST property of a nested object; null if a step of the path is null. */
export const propertyAt = <const Names extends readonly string[]>(...names: Names) =>
  reader(names, <Parent>(parent: Parent) => valueAt(parent, names) as ValueAt<Parent, Names>);

/**
 * Reads a field of another subgraph (`@external`). Only representations contain its value, and only for fields that require it
 * (`@requires`). A plan reads the property directly and never calls this function, hence the return type `never`.
 */
export const external = (name: string) =>
  reader([name], (): never => {
    throw new Error("a plan reads an external field");
  });

/** Returns the parent itself (`@restName(self: true)`). */
export const itself = reader([], <Parent>(parent: Parent): Parent => parent);

/**
 * Returns a value of the parent that a call needs and that the document requires. Throws `BAD_UPSTREAM_RESPONSE` if the value is
 * missing.
 */
export function required<Value>(value: Value): NonNullable<Value> {
  if (value === null || value === undefined) throw lacksKey();
  return value;
}

/** The error of a link whose parent lacks a value that the document requires. The call is not made. */
export const lacksKey = (): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer lacks a value that another call needs");

/**
 * Returns the value of a call, for a field that is null only if no call is made. Throws `BAD_UPSTREAM_RESPONSE` if the value of
 * the call is null, which the document forbids.
 */
export async function neverNull<Value>(answer: Promise<Value>): Promise<NonNullable<Value>> {
  const value = await answer;
  if (value !== null && value !== undefined) return value;
  throw new CodedError("BAD_UPSTREAM_RESPONSE", "REST sent a value that breaks its contract");
}

/** Whether a list of keys selects nothing: a call for it could return everything, so it is not made. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The GraphQL type of a REST map: a list of entries, also for maps within lists. */
export type Entries<Value> = Value extends readonly (infer Item)[]
  ? Entries<Item>[]
  : Value extends object
    ? { readonly key: string; readonly value: Value[keyof Value] }[]
    : Value;

/** Returns the entries of a map (`@restEntries`), in JavaScript's order of an object's keys. */
function entriesIn<Value>(value: Value): Entries<Value>;
function entriesIn(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => entriesIn(item));
  if (typeof value !== "object") throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not a map");
  return Object.entries(value).map(([key, each]) => ({ key, value: each }));
}

/** Reads the entries of a map, which is a REST property (possibly of a nested object) or the parent itself. */
export const entries = <const Names extends readonly string[]>(...names: Names) => {
  const compute = <Parent>(parent: Parent) => entriesIn(valueAt(parent, names) as ValueAt<Parent, Names>);
  return Object.assign(compute, { source: { kind: "computed", compute } as PlainSource });
};

/** Returns the entries of a map that is the result of a call. */
export const entriesFrom = <Value>(answer: Promise<Value>): Promise<Entries<Value>> =>
  answer.then((value) => entriesIn(value));

/**
 * Returns the value at a path of properties of a REST body; null if a step is missing. Any other value on the path that is not an
 * object violates the contract.
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
