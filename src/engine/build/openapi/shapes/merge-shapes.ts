/** Merges two shapes of an `allOf`, so that a value has to satisfy both. Of two limits, the stricter one applies. */

import type { RestNode } from "../document.ts";
import { mergeLimits } from "./limits.ts";
import {
  acceptsType,
  type IntegerStatement,
  type JsonType,
  makeProperty,
  type Property,
  Shape,
  typeText,
  type Variants,
} from "./shape.ts";
import { composedIdentity, type ShapeIdentity } from "./shape-identity.ts";

export function mergeShapes(left: Shape, right: Shape, node: RestNode): Shape {
  if (left === right) return left;
  const statesType = (shape: Shape): boolean =>
    shape.types.size > 0 || shape.nullable || shape.values !== undefined;
  const facts: Pick<Shape, "nullable" | "limits" | "integers"> = {
    nullable:
      (left.nullable || !statesType(left)) &&
      (right.nullable || !statesType(right)) &&
      (left.nullable || right.nullable),
    limits: mergeLimits(left.limits, right.limits),
    integers: left.integers.flatMap((one) => right.integers.map((each) => mergeIntegers(one, each))),
  };
  if (left.isOnlyTyped && acceptsTypes(left, right)) return right.with(facts);
  if (right.isOnlyTyped && acceptsTypes(right, left)) return left.with(facts);
  const areBothTyped = left.types.size > 0 && right.types.size > 0;
  const types = areBothTyped ? intersect(left.types, right.types) : new Set([...left.types, ...right.types]);
  const contradiction =
    areBothTyped && types.size === 0
      ? `nothing, because its \`allOf\` asks for ${typeText(left)} and for ${typeText(right)}`
      : (left.contradiction ?? right.contradiction);
  const mergeParts = (one: Shape | undefined, other: Shape | undefined): Shape | undefined =>
    one && other ? mergeShapes(one, other, one.node) : (one ?? other);
  const [choosing, other] = left.hasMembers ? [left, right] : [right, left];
  // drops alternatives with types that the other shape excludes
  const isPossible = (member: Shape): boolean =>
    member.types.size === 0 || other.types.size === 0 || intersect(member.types, other.types).size > 0;
  const withOther = (member: Shape): Shape =>
    addsNothing(other, member) ? member : mergeShapes(member, other, member.node);
  return new Shape({
    node,
    identity: composedIdentity("allOf", [left.identity, right.identity], node),
    types,
    contradiction,
    ...facts,
    conditions: [...left.conditions, ...right.conditions],
    format: left.format ?? right.format,
    values: mergeValues(left.values, right.values),
    isClosed: left.isClosed || right.isClosed,
    isOnlyTyped: left.isOnlyTyped && right.isOnlyTyped,
    properties: () => mergeProperties(left.properties, right.properties),
    items: () => mergeParts(left.items, right.items),
    entry: () => mergeParts(left.entry, right.entry),
    // a value must satisfy an alternative and the other shape, so the other shape is merged into each alternative
    ...(choosing.hasMembers && {
      members: () => choosing.members?.filter(isPossible).map(withOther),
      variants: () => choosing.variants && withEach(choosing.variants, isPossible, withOther),
    }),
  });
}

/** Returns the shape with this identity; the same object if the shape already has the identity. */
export const withIdentity = (shape: Shape, identity: ShapeIdentity): Shape =>
  shape.identity.text === identity.text ? shape : shape.with({ identity });

const acceptsTypes = ({ types }: Shape, other: Shape): boolean =>
  types.size === 0 || (other.types.size > 0 && [...other.types].every((type) => acceptsType(types, type)));

/** Whether every value of `member` already satisfies `shape`. Merging `shape` into `member` would then change nothing. */
const addsNothing = (shape: Shape, member: Shape): boolean =>
  acceptsTypes(shape, member) &&
  shape.properties.size === 0 &&
  !(shape.items ?? shape.entry ?? shape.values ?? shape.format) &&
  Object.keys(shape.limits).length === 0 &&
  !shape.isClosed;

const withEach = (
  { property, members }: Variants,
  isPossible: (shape: Shape) => boolean,
  change: (shape: Shape) => Shape,
): Variants => ({
  property,
  members: members.flatMap((each) =>
    isPossible(each.shape) ? [{ ...each, shape: change(each.shape) }] : [],
  ),
});

const mergeValues = (one: Shape["values"], other: Shape["values"]): Shape["values"] =>
  one && other ? one.filter((value) => other.includes(value)) : (one ?? other);

const mergeIntegers = (one: IntegerStatement, other: IntegerStatement): IntegerStatement => ({
  limits: mergeLimits(one.limits, other.limits),
  examples: [...one.examples, ...other.examples],
  format: one.format ?? other.format,
  values: mergeValues(one.values, other.values),
});

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
  const { name } = one;
  if (other.isUndeclared)
    return required === one.required
      ? one
      : makeProperty({ name, node: one.node, required, only }, () => one.shape);
  if (one.isUndeclared) return makeProperty({ name, node: other.node, required, only }, () => other.shape);
  const make = (): Shape =>
    mergeShapes(one.shape, other.shape, one.shape.types.size > 0 ? one.shape.node : other.shape.node);
  return makeProperty({ name, node: one.node, required, only }, make);
}

const intersect = (left: ReadonlySet<JsonType>, right: ReadonlySet<JsonType>): Set<JsonType> =>
  new Set([...left, ...right].filter((type) => acceptsType(left, type) && acceptsType(right, type)));
