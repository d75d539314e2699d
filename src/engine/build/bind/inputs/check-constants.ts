/** Checks the constants and default values in the schema against the limits of the parameters that they feed. */

import { type GraphQLInputType, getNamedType, isEnumType } from "graphql";
import { findNumber, isRounded } from "../../../shared/exact-integers.ts";
import { ajv } from "../../../shared/json-schema.ts";
import { limitSchema } from "../../openapi/shapes/limits.ts";
import { describeShape, type Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import type { InputSlot } from "./input-slots.ts";

export function checkConstant(binder: Binder, where: FindingTarget, slot: StyledSlot, value: unknown): void {
  const problem = rejectionReason(slot.shape, value) ?? unsendableReason(slot, value);
  if (problem === undefined) return;
  const { node, items } = slot.shape;
  const message = `constant ${shown(value)} for ${slot.in} "${slot.name}" ${problem}`;
  const at = { ...where, also: [node, items?.node] };
  binder.findings.add("constant-invalid", at, message, "write a value that REST takes");
}

/** Skips enum values, because `matchInput` checks them. */
export function checkDefault(
  binder: Binder,
  where: FindingTarget,
  slot: StyledSlot,
  { type, value }: { readonly type: GraphQLInputType; readonly value: unknown },
): void {
  if (value === null) return;
  const problem =
    (isEnumType(getNamedType(type)) ? undefined : rejectionReason(slot.shape, value)) ??
    unsendableReason(slot, value);
  if (problem === undefined) return;
  const message = `the default ${shown(value)} of ${where.coordinate} ${problem}`;
  const isEmpty = Array.isArray(value) && value.length === 0;
  const hint = isEmpty
    ? "remove it: an argument that is left out is not sent"
    : "write a default that REST takes";
  binder.findings.add("constant-invalid", where, message, hint);
}

/** JSON cannot print an infinite number. */
const shown = (value: unknown): string => (typeof value === "number" ? String(value) : JSON.stringify(value));

/** A parameter or form property with its style. */
export type StyledSlot = InputSlot & { readonly style?: string | undefined };

/** Returns why the value cannot be sent as written, or `undefined` if it can. */
const unsendableReason = (slot: StyledSlot, value: unknown): string | undefined =>
  inexactReason(slot, value) ?? unwritableListReason(slot, value);

/** Rejects integers beyond 2^53, which JavaScript rounds, and infinite numbers, which JSON prints as null. */
function inexactReason({ shape }: StyledSlot, value: unknown): string | undefined {
  if (findNumber(value, (each) => !Number.isFinite(each)) !== undefined) return "has a number out of range";
  const isNumber = (shape.items ?? shape).types.has("number");
  return !isNumber && findNumber(value, isRounded) !== undefined
    ? "has an integer beyond 2^53, which would be rounded"
    : undefined;
}

/** Returns why the parameter's style cannot represent the list, or `undefined` if it can. */
function unwritableListReason({ in: location, style }: StyledSlot, value: unknown): string | undefined {
  if (!Array.isArray(value) || style === undefined || style === "json") return undefined;
  if (value.length === 0)
    return location === "body" ? undefined : `is an empty list, which no ${location} parameter can carry`;
  const isRefused =
    location === "path" || location === "header"
      ? value.includes("")
      : value.join() === "" && value.length === 1;
  return isRefused
    ? `has an empty text${value.length === 1 ? " alone" : ""}, which ${location === "body" ? "a form" : `a ${location} parameter`} cannot carry`
    : undefined;
}

/** Returns why REST rejects the value, or `undefined` if it accepts it. */
export function rejectionReason(shape: Shape, value: unknown): string | undefined {
  if (!isTyped(shape, value)) return `is not ${describeShape(shape)}`;
  if (shape.values && !shape.values.includes(value)) return "is not one of its values";
  const validate = ajv.compile(limitSchema(shape));
  if (!validate(value)) return validate.errors?.[0]?.message ?? "is refused";
  const { items } = shape;
  if (!Array.isArray(value) || !items) return undefined;
  return value.map((item) => rejectionReason(items, item)).find((problem) => problem !== undefined);
}

function isTyped({ types, nullable }: Shape, value: unknown): boolean {
  if (types.size === 0) return true;
  if (value === null) return nullable;
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as "string");
}
