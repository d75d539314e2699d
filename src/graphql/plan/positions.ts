/**
 * Where an object stands in the answer, found only when something fails: its path, and the containers up to the root,
 * so that a null can bubble. An object that a null has cut off is not found.
 */
import { type GraphQLOutputType, isListType, isNonNullType } from "graphql";
import type { Path } from "./complete.ts";
import type { FieldPlan, ObjectPlan, Target } from "./plan.ts";

export type Position = {
  readonly path: Path;
  readonly nullable: boolean;
  readonly up: Position | undefined;
  readonly container: object;
};

/** By identity; the root's position is `undefined`. */
export type Positions = ReadonlyMap<object, Position | undefined>;

/** The objects that a field's values hold in `targets`, which stand `above`, as far as the next REST calls. */
export function positionsBelow(field: FieldPlan, targets: readonly Target[], above: Positions): Positions {
  const found = new Map<object, Position>();
  const shape = shapeOf(field);
  for (const target of targets) {
    if (above.has(target))
      visitValue(found, shape, field.field.type, target[field.key], {
        container: target,
        key: field.key,
        up: above.get(target),
      });
  }
  return found;
}

/** What nests in an object without a call, by key: that of all members of its type, which agree where they meet. */
type Shape = ReadonlyMap<string, { readonly type: GraphQLOutputType; readonly below: Shape }>;

const shapeOf = (...fields: readonly FieldPlan[]): Shape =>
  shapeOfObjects(fields.flatMap(({ selections }) => [...selections.values()]));

function shapeOfObjects(plans: readonly ObjectPlan[]): Shape {
  const nested = plans.flatMap(({ fields, bound }) =>
    fields.filter((field) => field.selections.size > 0 && !bound.includes(field)),
  );
  const byKey = Map.groupBy(nested, ({ key }) => key);
  return new Map(
    [...byKey].map(([key, fields]) => [
      key,
      { type: (fields[0] as FieldPlan).field.type, below: shapeOf(...fields) },
    ]),
  );
}

type At = { container: object; key: string | number; up: Position | undefined };

function visitValue(
  found: Map<object, Position>,
  shape: Shape,
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
      visitValue(found, shape, bare.ofType, item, { container: value, key: index, up: position });
    });
    return;
  }
  for (const [name, { type: of, below }] of shape) {
    // another member's key may be an inherited name here: `__proto__`
    if (Object.hasOwn(value, name))
      visitValue(found, below, of, (value as Target)[name], { container: value, key: name, up: position });
  }
}

/** Nulls the nearest place above that may be null; false if there is none, and the whole answer is null. */
export function bubble(position: Position | undefined): boolean {
  let at = position;
  while (at && !at.nullable) at = at.up;
  if (!at) return false;
  (at.container as Record<string | number, unknown>)[at.path.key] = null;
  return true;
}

/** Whether the object still hangs in the answer: no null has come between it and the root. */
export function isAttached(root: object | null, positions: Positions, object: object): boolean {
  if (!positions.has(object)) return false;
  let child = object;
  for (let at = positions.get(object); at; at = at.up) {
    if ((at.container as Record<string | number, unknown>)[at.path.key] !== child) return false;
    child = at.container;
  }
  return child === root;
}
