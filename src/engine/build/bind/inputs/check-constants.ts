/** Checks constants and defaults in the schema against the limits of their parameter. */

import { ajv } from "../../../shared/json-schema.ts";
import { limitSchema } from "../../openapi/shapes/limits.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import { describeShape } from "../type-rules.ts";
import type { InputSlot } from "./input-slots.ts";

export function checkConstant(binder: Binder, where: FindingTarget, slot: InputSlot, value: unknown): void {
  const problem = rejectionReason(slot.shape, value);
  if (problem === undefined) return;
  const { node, items } = slot.shape;
  const message = `constant ${JSON.stringify(value)} for ${slot.in} "${slot.name}" ${problem}`;
  const at = { ...where, also: [node, items?.node] };
  binder.findings.add("constant-invalid", at, message, "write a value that REST takes");
}

/** `value` is not an enum value; these are checked by `matchInput`. */
export function checkDefault(binder: Binder, where: FindingTarget, slot: InputSlot, value: unknown): void {
  const problem = value === null ? undefined : rejectionReason(slot.shape, value);
  if (problem === undefined) return;
  const message = `the default ${JSON.stringify(value)} of ${where.coordinate} ${problem}`;
  binder.findings.add("constant-invalid", where, message, "write a default that REST takes");
}

/** The reason why REST rejects `value`; `undefined` if REST accepts it. */
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
