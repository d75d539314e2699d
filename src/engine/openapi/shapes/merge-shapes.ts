/** Merges two shapes that describe the same value (`allOf`): of each pair of statements the stricter one stays. */

import type { RestNode } from "../document.ts";
import { mergeLimits } from "./limits.ts";
import {
  acceptsType,
  type IntegerStatement,
  type JsonType,
  lazy,
  makeProperty,
  type Property,
  type Shape,
} from "./shape.ts";
import { composedIdentity } from "./shape-identity.ts";

export function mergeShapes(left: Shape, right: Shape, node: RestNode): Shape {
  if (left === right) return left;
  const types =
    left.types.size === 0
      ? right.types
      : right.types.size === 0
        ? left.types
        : intersect(left.types, right.types);
  const values = mergeValues(left.values, right.values);
  const format = left.format ?? right.format;
  const variants = left.variants ?? right.variants;
  const members = left.members ?? right.members;
  const says = (shape: Shape): boolean =>
    shape.types.size > 0 || shape.nullable || shape.values !== undefined;
  const properties = lazy(() => mergeProperties(left.properties, right.properties));
  const mergeParts = (one: Shape | undefined, other: Shape | undefined): Shape | undefined =>
    one && other ? mergeShapes(one, other, one.node) : (one ?? other);
  const items = lazy(() => mergeParts(left.items, right.items));
  const entry = lazy(() => mergeParts(left.entry, right.entry));
  return {
    node,
    identity: composedIdentity("allOf", [left.identity, right.identity], node),
    types,
    nullable:
      (left.nullable || !says(left)) && (right.nullable || !says(right)) && (left.nullable || right.nullable),
    limits: mergeLimits(left.limits, right.limits),
    integers: left.integers.flatMap((one) => right.integers.map((other) => mergeIntegers(one, other))),
    ...(format && { format }),
    ...(values && { values }),
    ...(variants && { variants }),
    ...(members && { members }),
    ...((left.isClosed || right.isClosed) && { isClosed: true }),
    get properties() {
      return properties();
    },
    get items() {
      return items();
    },
    get entry() {
      return entry();
    },
  };
}

const mergeValues = (one: Shape["values"], other: Shape["values"]): Shape["values"] =>
  one && other ? one.filter((value) => other.includes(value)) : (one ?? other);

function mergeIntegers(one: IntegerStatement, other: IntegerStatement): IntegerStatement {
  const format = one.format ?? other.format;
  const values = mergeValues(one.values, other.values);
  return {
    limits: mergeLimits(one.limits, other.limits),
    ...(format && { format }),
    ...(values && { values }),
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
  const only = one.only ?? other.only;
  if (other.isUndeclared)
    return required === one.required ? one : makeProperty(one.name, one.node, true, () => one.shape);
  if (one.isUndeclared) return makeProperty(one.name, other.node, true, () => other.shape);
  const make = (): Shape =>
    mergeShapes(one.shape, other.shape, one.shape.types.size > 0 ? one.shape.node : other.shape.node);
  return makeProperty(one.name, one.node, required, make, only ?? null);
}

const intersect = (left: ReadonlySet<JsonType>, right: ReadonlySet<JsonType>): Set<JsonType> =>
  new Set([...left, ...right].filter((type) => acceptsType(left, type) && acceptsType(right, type)));
