/**
 * Reads a shape off a schema: `$ref`, `allOf`, `oneOf`/`anyOf`, `nullable` and 3.1 type arrays folded into one view.
 * Nested shapes are made when they are first asked for, so cycles and large documents cost nothing.
 */
import { readLimits } from "./limits.ts";
import { merge } from "./merge-shapes.ts";
import { isRecord, type RestDocument, type RestNode, refOf } from "./rest-document.ts";
import {
  below,
  cached,
  emptyShape,
  type JsonType,
  type Property,
  property,
  type Shape,
  unresolved,
  withNullable,
} from "./shape.ts";
import { foldVariants } from "./variants.ts";

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
  const target = document.follow(node) ?? { ...node, value: unresolved };
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
    shape = merge(shape, shapeAt(document, below(node, "allOf", part.index), seen), node);
  }
  for (const keyword of ["oneOf", "anyOf"] as const) {
    const nodes = list(schema[keyword]).map(({ index }) => below(node, keyword, index));
    const members = nodes.map((member) => ({ node: member, shape: shapeAt(document, member, seen) }));
    if (members.length > 0) shape = foldVariants(document, shape, members);
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
  return {
    node,
    types,
    nullable,
    limits: readLimits(schema),
    ...(typeof schema.format === "string" && { format: schema.format }),
    ...(enumeration && { values: enumeration.filter((value) => value !== null) }),
    get properties() {
      return cached(this, "properties", propertiesOf(document, node, schema));
    },
    get items() {
      return cached(
        this,
        "items",
        schema.items === undefined ? undefined : shapeAt(document, below(node, "items")),
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
    const at = below(node, "properties", name);
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

function addTypeOf(types: Set<JsonType>, value: unknown): void {
  if (typeof value === "number") types.add(Number.isInteger(value) ? "integer" : "number");
  else if (typeof value === "string" || typeof value === "boolean") types.add(typeof value as JsonType);
}

const list = (value: unknown): { index: number }[] =>
  Array.isArray(value) ? value.map((_, index) => ({ index })) : [];
