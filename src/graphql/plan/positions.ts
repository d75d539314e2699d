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

/** Every object of the answer below `root`, by identity. */
export function positions(plan: ObjectPlan, root: Target): Map<object, Position | undefined> {
  const found = new Map<object, Position | undefined>([[root, undefined]]);
  visitObject(found, [plan], root, undefined);
  return found;
}

type Found = Map<object, Position | undefined>;

function visitObject(
  found: Found,
  plans: readonly ObjectPlan[],
  object: Target,
  up: Position | undefined,
): void {
  const fields = new Map(plans.flatMap((plan) => plan.fields.map((field) => [field.key, field] as const)));
  for (const [key, field] of fields)
    visitValue(found, field, field.field.type, object[key], { container: object, key, up });
}

type At = { container: object; key: string | number; up: Position | undefined };

function visitValue(
  found: Found,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
  { container, key, up }: At,
): void {
  if (typeof value !== "object" || value === null || field.selections.size === 0) return;
  const position = { path: { up: up?.path, key }, nullable: !isNonNullType(type), up, container };
  const bare = isNonNullType(type) ? type.ofType : type;
  found.set(value, position);
  if (isListType(bare)) {
    (value as unknown[]).forEach((item, index) => {
      visitValue(found, field, bare.ofType, item, { container: value, key: index, up: position });
    });
  } else visitObject(found, [...field.selections.values()], value as Target, position);
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
export function isAttached(root: object | null, position: Position | undefined, object: object): boolean {
  let child = object;
  for (let at = position; at; at = at.up) {
    if ((at.container as Record<string | number, unknown>)[at.path.key] !== child) return false;
    child = at.container;
  }
  return child === root;
}
