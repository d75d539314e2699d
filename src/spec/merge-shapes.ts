/** `allOf`: two shapes that both hold, folded into one with the more particular of each statement. */
import { narrower } from "./limits.ts";
import type { RestNode } from "./rest-document.ts";
import { accepts, cached, type JsonType, type Property, property, type Shape } from "./shape.ts";

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
    limits: narrower(left.limits, right.limits),
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

const intersect = (left: ReadonlySet<JsonType>, right: ReadonlySet<JsonType>): Set<JsonType> =>
  new Set([...left, ...right].filter((type) => accepts(left, type) && accepts(right, type)));
