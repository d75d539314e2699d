/**
 * What a JSON Schema says about a value, as far as a binding rests on it (OpenAPI 3.1 §4.8.24, JSON Schema 2020-12):
 * the view that `read-shape.ts` makes of a document, and the small makers of its parts.
 */
import { isRecord, type RestNode } from "./rest-document.ts";

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array";

export type Property = {
  readonly name: string;
  readonly node: RestNode;
  readonly required: boolean;
  /** `readOnly`: only in answers · `writeOnly`: only in requests (OpenAPI 3.1 §4.8.24). */
  readonly only?: "answer" | "request";
  /** Only `required` names it: an answer holds it, but nobody knows what it is. */
  readonly isUndeclared?: true;
  readonly shape: Shape;
};

export type Shape = {
  readonly node: RestNode;
  /** Allowed types besides null; empty: nothing is said. */
  readonly types: ReadonlySet<JsonType>;
  readonly nullable: boolean;
  readonly format?: string;
  /** Allowed values besides null. */
  readonly values?: readonly unknown[];
  readonly properties: ReadonlyMap<string, Property>;
  readonly items?: Shape;
  readonly variants?: Variants;
  /** The limits that a value is held to: `maximum`, `maxLength`, `pattern`, `maxItems`, … as written. */
  readonly limits: Readonly<Record<string, unknown>>;
};

/** One member of a `oneOf`: its shape, its schema's name and the discriminator values that choose it. */
export type Variant = {
  /** Where the member is named; `shape.node` is the schema itself. */
  readonly node: RestNode;
  readonly shape: Shape;
  readonly name?: string;
  readonly values: readonly string[];
  /** Values that the member itself allows and the mapping does not know. */
  readonly unmapped: readonly string[];
};

export type Variants = {
  /** The discriminator's property (OpenAPI 3.1 §4.8.25). */
  readonly property?: string;
  readonly members: readonly Variant[];
};

export function property(name: string, node: RestNode, required: boolean, make: () => Shape): Property {
  const { readOnly, writeOnly } = isRecord(node.value) ? node.value : {};
  const only = readOnly === true ? "answer" : writeOnly === true ? "request" : undefined;
  return {
    name,
    node,
    required,
    ...(only && { only }),
    get shape() {
      return cached(this, "shape", make());
    },
  };
}

/** The property that an answer's reader may rest on: one that is declared, not only required. */
export function declared({ properties }: Shape, name: string): Property | undefined {
  const found = properties.get(name);
  return found?.isUndeclared ? undefined : found;
}

/** Whether a value of `type` is one of `types`: an integer is a number too. */
export const accepts = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === "integer" && types.has("number"));

/** Whether every value of `from`'s types is one of `to`'s; a shape that says nothing of its types is not held to any. */
export const fits = (from: Shape, to: Shape): boolean =>
  from.types.size === 0 || to.types.size === 0 || [...from.types].every((type) => accepts(to.types, type));

/** The types as a message names them. */
export const typesOf = ({ types }: Shape): string => [...types].sort().join(" or ") || "anything";

/** Formats that say how wide a number is (OpenAPI Format Registry). */
export const numberFormats: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** The value of a node whose `$ref` leads nowhere, which a finding of the loader says. */
export const unresolved = {};

export const emptyShape = (node: RestNode): Shape => ({
  node,
  types: new Set(),
  nullable: false,
  limits: {},
  properties: new Map(),
});

/** What stands at `steps` below a node, as it is written: it must be there, and no `$ref` is followed. */
export const below = (node: RestNode, ...steps: (string | number)[]): RestNode => ({
  file: node.file,
  path: [...node.path, ...steps],
  value: steps.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown>)[step],
    node.value,
  ),
});

/** The same shape with another `nullable`; what it computes lazily stays lazy. */
export const withNullable = (shape: Shape, nullable: boolean): Shape =>
  Object.create(shape, { nullable: { value: nullable } });

/** Replaces a getter by its value, so that it is computed once. */
export function cached<T>(owner: object, key: string, value: T): T {
  Object.defineProperty(owner, key, { value });
  return value;
}
