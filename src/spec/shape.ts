/**
 * What a JSON Schema says about a value, as far as a binding rests on it: `$ref`, `allOf`, `oneOf`/`anyOf` with
 * discriminator, `nullable` and 3.1 type arrays folded into one view (OpenAPI 3.1 §4.8.24, JSON Schema 2020-12).
 */
import { isRecord, type RestDocument, type RestNode, refOf } from "./rest-document.ts";
import { foldVariants, type Variants, withNullable } from "./variants.ts";

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

const limitKeywords = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "default",
];

/** The shape of the schema at `node`, whose `$ref` need not be followed yet. Nested shapes are made on demand. */
export function shapeAt(document: RestDocument, node: RestNode, seen: readonly RestNode[] = []): Shape {
  const key = node.value;
  if (seen.length > 0 || !isRecord(key)) return makeShape(document, node, seen);
  const known = document.shapes.get(key);
  if (known) return known as Shape;
  const shape = makeShape(document, node, seen);
  document.shapes.set(key, shape);
  return shape;
}

function makeShape(document: RestDocument, node: RestNode, seen: readonly RestNode[]): Shape {
  const reference = refOf(node.value);
  const target = document.follow(node) ?? { ...node, value: {} };
  const siblings =
    reference !== undefined &&
    Object.keys(node.value as object).some(
      (key) => key !== "$ref" && key !== "description" && key !== "summary",
    );
  if (seen.some((other) => other.value === target.value)) return emptyShape(target);
  if (reference !== undefined && !siblings && seen.length === 0) return shapeAt(document, target);
  const own = foldSchema(document, target, [...seen, target]);
  if (!siblings) return own;
  const rest = Object.fromEntries(Object.entries(node.value as object).filter(([key]) => key !== "$ref"));
  return merge(own, foldSchema(document, { ...node, value: rest }, seen), node);
}

function foldSchema(document: RestDocument, node: RestNode, seen: readonly RestNode[]): Shape {
  const schema = isRecord(node.value) ? node.value : {};
  let shape = ownShape(document, node, schema);
  for (const part of list(schema.allOf)) {
    shape = merge(shape, shapeAt(document, child(node, "allOf", part.index), seen), node);
  }
  for (const keyword of ["oneOf", "anyOf"] as const) {
    const members = list(schema[keyword]).map(({ index }) => child(node, keyword, index));
    if (members.length > 0) shape = foldVariants(document, shape, members, seen);
  }
  // OpenAPI 3.0 writes a nullable reference as `nullable: true` beside `allOf`
  return schema.nullable === true && !shape.nullable ? withNullable(shape, true) : shape;
}

function ownShape(document: RestDocument, node: RestNode, schema: Record<string, unknown>): Shape {
  const named = (
    Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  ) as string[];
  const enumeration =
    "const" in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  const types = new Set(named.filter((name) => name !== "null") as JsonType[]);
  if (types.size === 0 && isRecord(schema.properties)) types.add("object");
  if (types.size === 0 && enumeration) for (const value of enumeration) addTypeOf(types, value);
  const nullable =
    schema.nullable === true ||
    named.includes("null") ||
    (named.length === 0 && enumeration?.includes(null) === true);
  const limits = Object.fromEntries(
    limitKeywords.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
  );
  return {
    node,
    types,
    nullable,
    limits,
    ...(typeof schema.format === "string" && { format: schema.format }),
    ...(enumeration && { values: enumeration.filter((value) => value !== null) }),
    get properties() {
      return cached(this, "properties", propertiesOf(document, node, schema));
    },
    get items() {
      return cached(
        this,
        "items",
        schema.items === undefined ? undefined : shapeAt(document, child(node, "items")),
      );
    },
  };
}

function propertiesOf(
  document: RestDocument,
  node: RestNode,
  schema: Record<string, unknown>,
): Map<string, Property> {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const found = names.map((name): [string, Property] => {
    const at = child(node, "properties", name);
    return [name, property(name, at, required.has(name), () => shapeAt(document, at))];
  });
  for (const name of required) {
    if (typeof name === "string" && !names.includes(name)) {
      const at = { file: node.file, path: [...node.path, "required"], value: {} };
      found.push([name, { name, node: at, required: true, isUndeclared: true, shape: emptyShape(at) }]);
    }
  }
  return new Map(found);
}

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

/** Both schemas hold: the more particular of each statement. */
export function merge(left: Shape, right: Shape, node: RestNode): Shape {
  if (left === right) return left;
  const types =
    left.types.size === 0
      ? right.types
      : right.types.size === 0
        ? left.types
        : intersect(left.types, right.types);
  const values =
    left.values && right.values
      ? left.values.filter((value) => right.values?.includes(value))
      : (left.values ?? right.values);
  const format = left.format ?? right.format;
  const variants = left.variants ?? right.variants;
  const says = (shape: Shape): boolean =>
    shape.types.size > 0 || shape.nullable || shape.values !== undefined;
  return {
    node,
    types,
    nullable:
      (left.nullable || !says(left)) && (right.nullable || !says(right)) && (left.nullable || right.nullable),
    limits: { ...right.limits, ...left.limits },
    ...(format && { format }),
    ...(values && { values }),
    ...(variants && { variants }),
    get properties() {
      return cached(this, "properties", mergeProperties(left.properties, right.properties));
    },
    get items() {
      return cached(
        this,
        "items",
        left.items && right.items
          ? merge(left.items, right.items, left.items.node)
          : (left.items ?? right.items),
      );
    },
  };
}

function mergeProperties(
  left: ReadonlyMap<string, Property>,
  right: ReadonlyMap<string, Property>,
): Map<string, Property> {
  const merged = new Map(left);
  for (const [name, other] of right) {
    const one = merged.get(name);
    merged.set(name, one ? mergeProperty(one, other) : other);
  }
  return merged;
}

function mergeProperty(one: Property, other: Property): Property {
  const required = one.required || other.required;
  if (other.isUndeclared)
    return required === one.required ? one : property(one.name, one.node, true, () => one.shape);
  if (one.isUndeclared) return property(one.name, other.node, true, () => other.shape);
  const make = (): Shape =>
    merge(one.shape, other.shape, one.shape.types.size > 0 ? one.shape.node : other.shape.node);
  return property(one.name, one.node, required, make);
}

/** The property that an answer's reader may rest on: one that is declared, not only required. */
export function declared({ properties }: Shape, name: string): Property | undefined {
  const found = properties.get(name);
  return found?.isUndeclared ? undefined : found;
}

export const emptyShape = (node: RestNode): Shape => ({
  node,
  types: new Set(),
  nullable: false,
  limits: {},
  properties: new Map(),
});

export const child = (node: RestNode, ...steps: (string | number)[]): RestNode => ({
  file: node.file,
  path: [...node.path, ...steps],
  value: steps.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown>)[step],
    node.value,
  ),
});

const intersect = (left: ReadonlySet<JsonType>, right: ReadonlySet<JsonType>): Set<JsonType> =>
  new Set([...left, ...right].filter((type) => accepts(left, type) && accepts(right, type)));

const accepts = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === "integer" && types.has("number"));

function addTypeOf(types: Set<JsonType>, value: unknown): void {
  if (typeof value === "number") types.add(Number.isInteger(value) ? "integer" : "number");
  else if (typeof value === "string" || typeof value === "boolean") types.add(typeof value as JsonType);
}

const list = (value: unknown): { index: number }[] =>
  Array.isArray(value) ? value.map((_, index) => ({ index })) : [];

/** Replaces a getter by its value, so that it is computed once. */
export function cached<T>(owner: object, key: string, value: T): T {
  Object.defineProperty(owner, key, { value });
  return value;
}
