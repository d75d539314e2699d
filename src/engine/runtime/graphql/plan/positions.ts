/**
 * Finds the positions of objects in the response: their paths, and their containers up to the root, so that nulls can propagate.
 * Positions are computed only after a failure. A null detaches the object that it replaces, with all objects in it. Detached
 * objects have no position.
 */
import { type GraphQLOutputType, isListType, isNonNullType } from "graphql";
import { own } from "../../../shared/own.ts";
import type { Path } from "../errors/field-error.ts";
import { deferredKey, type FieldPlan, type ObjectPlan, type ResultMap } from "./plan.ts";

export type Position = {
  readonly path: Path | undefined;
  readonly key: string | number;
  readonly nullable: boolean;
  /** The position of `container`; undefined if the container is the root or the wrapper of a deferred part. */
  readonly up: Position | undefined;
  readonly container: object;
};

/** A deferred fragment of an object. Its data is collected in `wrapper`, because it is sent after the initial response. */
export type Wrapped = {
  readonly wrapper: ResultMap;
  readonly path: Path | undefined;
};

/** The position of the root is `undefined`. */
export type Positions = ReadonlyMap<object, Position | undefined>;

/** Returns the positions of all objects in a field's values, down to the next REST calls. `above`: those of `resultMaps`. */
export function positionsBelow(
  field: FieldPlan,
  resultMaps: readonly ResultMap[],
  above: Positions,
): Positions {
  const found = new Map<object, Position>();
  const nested = nestedBelow(field);
  for (const resultMap of resultMaps) {
    if (above.has(resultMap))
      visitValue(found, nested, field.field.type, {
        container: resultMap,
        key: field.key,
        up: above.get(resultMap),
      });
  }
  return found;
}

/** Returns the positions of all objects in the deferred parts of a field, down to the next REST calls. */
export function positionsInParts(field: FieldPlan, parts: readonly Wrapped[]): Positions {
  const found = new Map<object, Position>();
  const nested = nestedBelow(field);
  for (const { wrapper, path } of parts) {
    const object = wrapper[deferredKey] as ResultMap | null;
    if (object === null) continue;
    const position = { path, key: deferredKey, nullable: true, up: undefined, container: wrapper };
    found.set(object, position);
    visitMembers(found, nested, object, position);
  }
  return found;
}

/** Nested objects without a REST call, by key. Fields with the same key have the same type in all types of a union. */
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
  { container, key, up }: At,
): void {
  const value = own(container as Readonly<Record<string, unknown>>, key);
  if (typeof value !== "object" || value === null) return;
  const position = { path: { up: up?.path, key }, key, nullable: !isNonNullType(type), up, container };
  const bare = isNonNullType(type) ? type.ofType : type;
  found.set(value, position);
  if (isListType(bare)) {
    for (const key of (value as unknown[]).keys())
      visitValue(found, nested, bare.ofType, { container: value, key, up: position });
    return;
  }
  visitMembers(found, nested, value as ResultMap, position);
}

function visitMembers(
  found: Map<object, Position>,
  nested: NestedObjects,
  object: ResultMap,
  position: Position,
): void {
  for (const [name, { type: of, below }] of nested) {
    // an object of a type without this field can inherit a property of that name, for example `__proto__`
    if (Object.hasOwn(object, name))
      visitValue(found, below, of, { container: object, key: name, up: position });
  }
}

/** Sets the nearest nullable position to null. If no position is nullable, returns `false`, and `data` becomes null. */
export function propagateNull(position: Position | undefined): boolean {
  let at = position;
  while (at && !at.nullable) at = at.up;
  if (!at) return false;
  (at.container as ResultMap)[at.key] = null;
  return true;
}

/** Returns the response data, or the wrapper of a deferred part, that contains the object; `undefined` if it is detached. */
export function rootOf(object: object, position: Position | undefined): object | undefined {
  let child = object;
  for (let at = position; at; at = at.up) {
    if ((at.container as ResultMap)[at.key] !== child) return undefined;
    child = at.container;
  }
  return child;
}
