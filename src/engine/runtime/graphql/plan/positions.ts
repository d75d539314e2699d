/**
 * Finds the positions of objects in the response: their paths, and their containers up to the root, so that a null can
 * bubble. Positions are computed only after a failure. An object that a null has cut off has no position.
 */
import { type GraphQLOutputType, isListType, isNonNullType } from "graphql";
import type { Path } from "../errors/field-error.ts";
import type { FieldPlan, ObjectPlan, ResultMap } from "./plan.ts";

type Position = {
  readonly path: Path;
  readonly nullable: boolean;
  readonly up: Position | undefined;
  readonly container: object;
};

/** The positions by object identity. The root's position is `undefined`. */
export type Positions = ReadonlyMap<object, Position | undefined>;

/**
 * The positions of the objects in a field's values, down to the next REST calls. `above` has the positions of
 * `resultMaps`.
 */
export function positionsBelow(
  field: FieldPlan,
  resultMaps: readonly ResultMap[],
  above: Positions,
): Positions {
  const found = new Map<object, Position>();
  const nested = nestedBelow(field);
  for (const resultMap of resultMaps) {
    if (above.has(resultMap))
      visitValue(found, nested, field.field.type, resultMap[field.key], {
        container: resultMap,
        key: field.key,
        up: above.get(resultMap),
      });
  }
  return found;
}

/** The nested objects that need no call, by key. Members of an abstract type share one map: a shared key has one type. */
type NestedObjects = ReadonlyMap<string, { readonly type: GraphQLOutputType; readonly below: NestedObjects }>;

const nestedBelow = (...fields: readonly FieldPlan[]): NestedObjects =>
  nestedIn(fields.flatMap(({ selections }) => [...selections.values()]));

function nestedIn(plans: readonly ObjectPlan[]): NestedObjects {
  const nested = plans.flatMap(({ fields }) =>
    fields.filter(({ selections, source }) => selections.size > 0 && source.kind !== "call"),
  );
  const byKey = Map.groupBy(nested, ({ key }) => key);
  return new Map(
    [...byKey].map(([key, fields]) => [
      key,
      { type: (fields[0] as FieldPlan).field.type, below: nestedBelow(...fields) },
    ]),
  );
}

type At = { container: object; key: string | number; up: Position | undefined };

function visitValue(
  found: Map<object, Position>,
  nested: NestedObjects,
  type: GraphQLOutputType,
  value: unknown,
  { container, key, up }: At,
): void {
  if (typeof value !== "object" || value === null) return;
  const position = { path: { up: up?.path, key }, nullable: !isNonNullType(type), up, container };
  const bare = isNonNullType(type) ? type.ofType : type;
  found.set(value, position);
  if (isListType(bare)) {
    (value as unknown[]).forEach((item, index) => {
      visitValue(found, nested, bare.ofType, item, { container: value, key: index, up: position });
    });
    return;
  }
  for (const [name, { type: of, below }] of nested) {
    // another member's key may be an inherited property of this object: `__proto__`
    if (Object.hasOwn(value, name))
      visitValue(found, below, of, (value as ResultMap)[name], { container: value, key: name, up: position });
  }
}

/** Sets the nearest nullable position to null. Returns `false` if none is nullable: the whole data is null then. */
export function propagateNull(position: Position | undefined): boolean {
  let at = position;
  while (at && !at.nullable) at = at.up;
  if (!at) return false;
  (at.container as ResultMap)[at.path.key] = null;
  return true;
}

/** Whether the object is still part of the response: no null has replaced one of its containers. */
export function isAttached(root: object | null, positions: Positions, object: object): boolean {
  if (!positions.has(object)) return false;
  let child = object;
  for (let at = positions.get(object); at; at = at.up) {
    if ((at.container as ResultMap)[at.path.key] !== child) return false;
    child = at.container;
  }
  return child === root;
}
