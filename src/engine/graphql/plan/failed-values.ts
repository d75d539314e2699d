/**
 * Failures stand in the response in the places of the values that failed, until all levels are complete. Then one walk from
 * the root gives each failure its path and its null, which bubbles to the nearest position that allows it (GraphQL spec
 * §6.4.4).
 */
import {
  type GraphQLOutputType,
  getNullableType,
  isListType,
  isNonNullType,
  type SourceLocation,
} from "graphql";
import { FieldError, type Path } from "../errors/field-error.ts";
import type { FieldPlan, ResultMap } from "./plan.ts";

export class FailedValue {
  readonly error: Error;
  readonly locations: readonly SourceLocation[] | undefined;
  /** The keys from the place of the failure down to the value that failed. */
  readonly below: (string | number)[] = [];

  constructor(error: Error, locations: FailedValue["locations"]) {
    this.error = error;
    this.locations = locations;
  }
}

/** The fields of an object that may hold failures, by key. Members of an abstract type share one map: a shared key has one type. */
type Shape = ReadonlyMap<string, { readonly type: GraphQLOutputType; readonly below: Shape }>;

/** `within`: the object belongs to the value of a failed field. */
function shapeOf(all: readonly FieldPlan[], failed: ReadonlySet<FieldPlan>, within: boolean): Shape {
  const shape = new Map<string, { type: GraphQLOutputType; below: Shape }>();
  for (const [key, fields] of Map.groupBy(all, (field) => field.key)) {
    const isWithin = fields.some((field) => failed.has(field) || (within && field.source.kind !== "call"));
    const plans = fields.flatMap(({ selections }) => [...selections.values()]);
    const below = shapeOf(
      plans.flatMap((plan) => plan.fields),
      failed,
      isWithin,
    );
    const { type } = (fields[0] as FieldPlan).field;
    if (isWithin || below.size > 0) shape.set(key, { type, below });
  }
  return shape;
}

/**
 * Replaces the failures in the values of `fields`, and adds their errors. Returns `null` for the whole object. `failed` are
 * the fields whose values may hold failures.
 */
export const settle = (
  data: ResultMap,
  fields: readonly FieldPlan[],
  failed: ReadonlySet<FieldPlan>,
  errors: FieldError[],
): ResultMap | null => settleObject(errors, shapeOf(fields, failed, false), data, undefined);

/** A null that its type forbids is the null of the object, and its error is the only one of the object. */
function settleObject(
  errors: FieldError[],
  shape: Shape,
  object: ResultMap,
  path: Path | undefined,
): ResultMap | null {
  const before = errors.length;
  for (const [key, { type, below }] of shape) {
    // another member's key may be an inherited property of this object: `__proto__`
    if (!Object.hasOwn(object, key)) continue;
    const value = settleValue(errors, type, below, object[key], { up: path, key });
    if (value === null && isNonNullType(type)) return nullFor(errors, before);
    object[key] = value;
  }
  return object;
}

function settleValue(
  errors: FieldError[],
  type: GraphQLOutputType,
  shape: Shape,
  value: unknown,
  path: Path,
): unknown {
  if (value instanceof FailedValue) {
    const at = value.below.reduce<Path>((up, key) => ({ up, key }), path);
    errors.push(new FieldError(value.error, value.locations, at));
    return null;
  }
  if (value === null) return null;
  const bare = getNullableType(type);
  if (!isListType(bare))
    return shape.size > 0 ? settleObject(errors, shape, value as ResultMap, path) : value;
  const before = errors.length;
  const list = value as unknown[];
  for (const [key, item] of list.entries()) {
    list[key] = settleValue(errors, bare.ofType, shape, item, { up: path, key });
    if (list[key] === null && isNonNullType(bare.ofType)) return nullFor(errors, before);
  }
  return list;
}

/** Keeps the last error, the reason for the null, and drops those of the values that the null replaces. */
function nullFor(errors: FieldError[], before: number): null {
  errors.splice(before, errors.length - before - 1);
  return null;
}
