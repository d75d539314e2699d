/**
 * Reads the shape of a schema. Resolves `$ref`, `allOf`, `oneOf`, `anyOf`, `nullable` and the type arrays of OpenAPI 3.1. Nested
 * shapes are computed on demand, so that recursive schemas terminate and unused schemas cost nothing.
 */

import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { own } from "../../../shared/own.ts";
import { unreadableSpec } from "../../diagnostic.ts";
import { hasRefSiblings, type RestDocument, type RestNode, refOf } from "../document.ts";
import { enumerationOf } from "./enumeration.ts";
import { limitKeywords, readLimits } from "./limits.ts";
import { isClosed, readMapEntry } from "./map-entries.ts";
import { mergeShapes, withIdentity } from "./merge-shapes.ts";
import {
  type JsonType,
  makeProperty,
  nodeBelow,
  onlyIn,
  type Property,
  Shape,
  unresolvedSchema,
  withNullable,
} from "./shape.ts";
import { identityOf } from "./shape-identity.ts";
import { foldVariants } from "./variants.ts";

/**
 * `schemas`: the schemas that include the current one, outermost first. `parts`: the number of schemas that the outermost one has
 * included so far.
 */
type Inclusion = { readonly schemas: readonly [RestNode, ...RestNode[]]; readonly parts: { count: number } };

/** Returns the shape of the schema at `node`, which may be a `$ref`. */
export function shapeAt(document: RestDocument, node: RestNode): Shape {
  const key = node.value;
  if (!isRecord(key)) return makeShape(document, node);
  const known = document.shapes.get(key);
  if (known) return known as Shape;
  const shape = makeShape(document, node);
  document.shapes.set(key, shape);
  return shape;
}

function makeShape(document: RestDocument, node: RestNode, within?: Inclusion): Shape {
  const isReference = refOf(node.value) !== undefined;
  const found = document.followPlain(node) ?? { ...node, value: unresolvedSchema };
  // `false` is equivalent to `not: {}` (JSON Schema 2020-12 §4.3.2)
  const target = found.value === false ? { ...found, value: { not: {} } } : found;
  const siblings = document.versions.readsBesideRef(node.file) && hasRefSiblings(node);
  if (within?.schemas.some((other) => other.value === target.value)) return new Shape({ node: target });
  if (isReference && !siblings && !within) return shapeAt(document, target);
  const inside: Inclusion = {
    schemas: within ? [...within.schemas, target] : [target],
    parts: within?.parts ?? { count: 0 },
  };
  const own =
    refOf(target.value) === undefined
      ? foldSchema(document, target, inside)
      : makeShape(document, target, inside);
  if (!siblings) return own;
  const rest = Object.fromEntries(Object.entries(node.value as object).filter(([key]) => key !== "$ref"));
  const merged = mergeShapes(own, foldSchema(document, { ...node, value: rest }, within), node);
  const shape = merged.node === node || isComponent(node) ? readFrom(node, merged) : merged;
  // OpenAPI 3.1 has no `nullable`, but documents converted from 3.0 keep it
  return membersOf(rest).nullable === true ? withNullable(shape, true) : shape;
}

/**
 * Whether the schema is a component or a file. A component remains a separate type even if another component accepts the same
 * values, because a union may distinguish the two types by their names.
 */
const isComponent = ({ path }: RestNode): boolean =>
  path.length === 0 || (path.length === 3 && path[0] === "components" && path[1] === "schemas");

/** Returns the shape with the node and the identity of the schema at `node`. */
const readFrom = (node: RestNode, shape: Shape): Shape =>
  withIdentity(shape.node === node ? shape : shape.with({ node }), identityOf(node));

/**
 * Maximum number of schemas that one schema may include, counting repetitions. The largest number in ten real documents is 384,
 * but a chain of n schemas that each include the next one twice reaches 2^n.
 */
const mostParts = 10_000;

function countPart({ schemas: [whole], parts }: Inclusion): void {
  parts.count++;
  if (parts.count > mostParts)
    throw unreadableSpec(
      whole.file,
      `#/${whole.path.join("/")} is composed of more than ${mostParts} schemas`,
    );
}

function foldSchema(document: RestDocument, node: RestNode, within?: Inclusion): Shape {
  if (within) countPart(within);
  const partAt = (at: RestNode): Shape => (within ? makeShape(document, at, within) : shapeAt(document, at));
  const schema = membersOf(node.value);
  let shape = ownShape(document, node, schema);
  const allOf = indexesOf(schema.allOf).map((index) => nodeBelow(node, "allOf", index));
  const constraining = allOf.filter(({ value }) => !isRecord(value) || !isAnnotation(value));
  const isWrapper = constraining.length === 1 && isAnnotation({ ...schema, allOf: undefined });
  for (const each of constraining) shape = mergeShapes(shape, partAt(each), node);
  const hasVariants = schema.oneOf !== undefined || schema.anyOf !== undefined;
  if (shape.node !== node && (hasVariants || (isComponent(node) && !isWrapper)))
    shape = readFrom(node, shape);
  for (const keyword of ["oneOf", "anyOf"] as const) {
    const nodes = indexesOf(schema[keyword]).map((index) => nodeBelow(node, keyword, index));
    const members = nodes.map((member) => ({ node: member, shape: partAt(member) }));
    if (members.length > 0) shape = foldVariants(document, shape, members, { keyword, node });
  }
  // in OpenAPI 3.0, a nullable reference is written as an `allOf`, with `nullable: true` beside it or in a member without
  // constraints
  const isNullable = [node, ...(isWrapper ? allOf : [])].some(
    ({ value }) => membersOf(value).nullable === true,
  );
  if (isNullable && !shape.nullable) shape = withNullable(shape, true);
  // an `allOf` of one schema, with at most a type beside it, keeps the node and the identity of that schema
  return shape.node === node ? readFrom(node, shape) : shape;
}

/**
 * Whether the schema contains only annotations, so that it accepts every value. OpenAPI 3.0 documents annotate a reference by
 * putting the `$ref` in an `allOf`, and the annotations beside the `allOf` or in another member.
 */
const isAnnotation = (schema: Schema): boolean =>
  schema.type === undefined && !hasKeyword(schema, restricting) && !hasKeyword(schema, composing);

type Schema = Readonly<Record<string, unknown>>;

const hasKeyword = (schema: Schema, keywords: ReadonlySet<string>): boolean =>
  Object.entries(schema).some(([key, value]) => value !== undefined && keywords.has(key));

/** Keywords that `foldSchema` reads after `ownShape`. */
const composing: ReadonlySet<string> = new Set(["allOf", "oneOf", "anyOf", "discriminator"]);

function ownShape(document: RestDocument, node: RestNode, schema: Record<string, unknown>): Shape {
  const named = (
    Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  ) as string[];
  const enumeration = enumerationOf(schema);
  const types = new Set(named.filter((name) => name !== "null") as JsonType[]);
  if (types.size === 0 && isRecord(schema.properties)) types.add("object");
  if (types.size === 0 && enumeration) for (const value of enumeration) addTypeOf(types, value);
  const mayBeObject = types.size === 0 || types.has("object");
  const nullable =
    schema.nullable === true ||
    named.includes("null") ||
    (named.length === 0 && enumeration?.includes(null) === true);
  const limits = readLimits(schema, document.versions.is30(node.file));
  const format = typeof schema.format === "string" ? schema.format : undefined;
  const values = enumeration?.filter((value) => value !== null);
  const isOnlyNull = named.length > 0 && types.size === 0;
  return new Shape({
    node,
    types,
    nullable,
    limits,
    conditions: [...conditionKeywords, ...(isOnlyNull ? ["type"] : [])].flatMap((keyword) =>
      own(schema, keyword) === undefined ? [] : { keyword, node },
    ),
    format,
    integers: [
      { format, values, limits, examples: [schema.example, schema.examples, schema.default].flat() },
    ],
    values,
    isClosed: isClosed(schema),
    isOnlyTyped: !isOnlyNull && !hasKeyword(schema, restricting),
    properties: () => (mayBeObject ? propertiesOf(document, node, schema) : new Map()),
    items: () => (schema.items === undefined ? undefined : shapeAt(document, nodeBelow(node, "items"))),
    entry: () => readMapEntry(node, schema, (at) => shapeAt(document, at)),
  });
}

/** The keywords that become `conditions` of a shape. `oneOf` and `anyOf` may become conditions too, but are not listed. */
export const conditionKeywords: readonly string[] = [
  "not",
  "if",
  "$dynamicRef",
  "$recursiveRef",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "propertyNames",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
];

/**
 * Keywords that restrict values, except `type` and those in `composing`. All other keywords are annotations, even unknown ones
 * (JSON Schema 2020-12 §6.5). `nullable`, `readOnly` and `writeOnly` are omitted, because they are read separately.
 */
const restricting: ReadonlySet<string> = new Set([
  ...["$ref", "enum", "const", "format", "properties", "required", "items"],
  ...limitKeywords,
  ...conditionKeywords,
]);

function propertiesOf(
  document: RestDocument,
  node: RestNode,
  schema: Record<string, unknown>,
): Map<string, Property> {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(membersOf(schema.properties));
  const found = names.map((name): [string, Property] => {
    const at = nodeBelow(node, "properties", name);
    const facts = { name, node: at, required: required.has(name), only: onlyIn(at) };
    return [name, makeProperty(facts, () => shapeAt(document, at))];
  });
  for (const name of required) {
    if (typeof name === "string" && !names.includes(name)) {
      const at = { file: node.file, path: [...node.path, "required"], value: {} };
      found.push([
        name,
        { name, node: at, required: true, isUndeclared: true, shape: new Shape({ node: at }) },
      ]);
    }
  }
  return new Map(found);
}

function addTypeOf(types: Set<JsonType>, value: unknown): void {
  if (typeof value === "number") types.add(Number.isInteger(value) ? "integer" : "number");
  else if (typeof value === "string" || typeof value === "boolean") types.add(typeof value as JsonType);
}

const indexesOf = (value: unknown): number[] => (Array.isArray(value) ? [...value.keys()] : []);
