/**
 * A map is an object with a schema for undeclared properties (JSON Schema 2020-12 §10.3.2). An entry of a map is represented as
 * an object with a key and a value.
 */

import { isRecord, membersOf } from "../../../shared/json-object.ts";
import type { RestNode } from "../document.ts";
import { declaredProperty, isOnly, makeProperty, nodeBelow, responseProperties, Shape } from "./shape.ts";
import { syntheticIdentity } from "./shape-identity.ts";
import { combineNullable } from "./variants.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Whether the schema rejects every value: `false`, or `not: {}`. */
export const isNever = (schema: unknown): boolean =>
  schema === false || (isRecord(schema) && isRecord(schema.not) && Object.keys(schema.not).length === 0);

export const isClosed = ({ additionalProperties, patternProperties }: Schema): boolean =>
  isNever(additionalProperties) && patternProperties === undefined;

/**
 * Returns the shape of a map's entries; `undefined` for an object that forbids undeclared properties or has no schema for them.
 */
export function readMapEntry(
  node: RestNode,
  { additionalProperties: others, patternProperties, propertyNames }: Schema,
  read: (node: RestNode) => Shape,
): Shape | undefined {
  const patterns = Object.keys(membersOf(patternProperties));
  if (!isNever(others) && !isRecord(others)) return undefined;
  const [first, ...rest] = [
    ...(isNever(others) ? [] : [nodeBelow(node, "additionalProperties")]),
    ...patterns.map((pattern) => nodeBelow(node, "patternProperties", pattern)),
  ];
  if (!first) return undefined;
  const { format } = membersOf(propertyNames);
  const key = new Shape({
    node: isRecord(propertyNames) ? nodeBelow(node, "propertyNames") : first,
    identity: syntheticIdentity(`key(${format ?? ""})`),
    types: ["string"],
    ...(typeof format === "string" && { format }),
  });
  return entryOf(first, key, [first, ...rest].map(read));
}

/** Returns the shape of an entry: an object with the given key, and with a value that has one of the shapes `values`. */
function entryOf(node: RestNode, key: Shape, values: readonly Shape[]): Shape | undefined {
  const value = combineNullable(values);
  return (
    value &&
    new Shape({
      node,
      identity: syntheticIdentity(`entry(${key.identity.text}, ${value.identity.text}${value.nullable})`),
      types: ["object"],
      properties: () =>
        new Map([
          ["key", makeProperty({ name: "key", node: key.node, required: true }, () => key)],
          ["value", makeProperty({ name: "value", node, required: true }, () => value)],
        ]),
    })
  );
}

/** Returns the shape of entries for declared and undeclared properties; `undefined` if undeclared ones have no schema. */
function wholeEntry(shape: Shape): Shape | undefined {
  if (!isOnly(shape, "object")) return undefined;
  if (shape.members) {
    const entries = shape.members.flatMap((member) => wholeEntry(member) ?? []);
    return entries.length === shape.members.length ? combineNullable(entries) : undefined;
  }
  const key = shape.entry && declaredProperty(shape.entry, "key");
  const value = shape.entry && declaredProperty(shape.entry, "value");
  const declared = responseProperties(shape);
  if (!key || !value || declared.length === 0) return shape.entry;
  return entryOf(value.node, key.shape, [value.shape, ...declared.map((each) => each.shape)]);
}

/** Maximum nesting of lists. A maximum is necessary, because a schema may be a list of itself. */
const maxLists = 8;

const isList = (shape: Shape, lists: number): boolean => isOnly(shape, "array") && lists > 0;

/** Returns the shape of a list of a map's entries (for a list of maps, a list of such lists), or else `undefined`. */
export function entriesShape(shape: Shape, lists = maxLists): Shape | undefined {
  const items = isList(shape, lists)
    ? shape.items && entriesShape(shape.items, lists - 1)
    : wholeEntry(shape);
  return (
    items &&
    new Shape({
      node: shape.node,
      identity: syntheticIdentity(`entries(${shape.identity.text})`),
      types: ["array"],
      nullable: shape.nullable,
      items: () => items,
    })
  );
}

/** Whether the shape is a map, or a list of maps. The maps must have no declared properties, and values of only one type. */
export function isMap(shape: Shape, lists = maxLists): boolean {
  if (isList(shape, lists)) return shape.items !== undefined && isMap(shape.items, lists - 1);
  const value = shape.properties.size === 0 ? wholeEntry(shape)?.properties.get("value") : undefined;
  return value?.shape.types.size === 1;
}
