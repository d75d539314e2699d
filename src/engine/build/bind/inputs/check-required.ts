/** Checks that each required parameter and body property has a source. */

import { inputKey } from "../../openapi/operation.ts";
import { isRequiredOfRequest } from "../../openapi/shapes/shape.ts";
import type { FieldContext } from "../field-context.ts";
import type { Input } from "../model.ts";
import type { InputSlot } from "./input-slots.ts";

export function checkRequired(field: FieldContext, inputs: readonly Input[], hasBody: boolean): void {
  const { binder, operation, slots, where } = field;
  // an invalid source in `params` has already been reported
  const named = field.directive.params.flatMap((param) => slots.find(param.name, param.in).slice(0, 1));
  const keys = new Set([...inputs, ...named].map(inputKey));
  const touchesBody = inputs.some((input) => input.in === "body");
  const unfed = slots.all.filter(
    (slot) =>
      !keys.has(inputKey(slot)) &&
      (slot.in === "body" ? !hasBody && isRequiredWhenSent(field, slot, touchesBody) : slot.required),
  );
  const source = field.parent ? 'from: "parent.<property>"' : "value: …";
  for (const slot of unfed) {
    const kind = slot.in === "body" ? "body property" : `${slot.in} parameter`;
    binder.findings.add(
      "parameter-unfed",
      { ...where, rest: slot.node },
      `${operation.id} requires the ${kind} "${slot.name}", and nothing feeds it`,
      `add an argument "${slot.name}", or feed it with params: { name: "${slot.name}", ${source} }`,
    );
  }
  const { body } = operation;
  if (body?.required && body.shape.properties.size === 0 && !hasBody && !touchesBody) {
    binder.findings.add(
      "parameter-unfed",
      { ...where, rest: body.node },
      `${operation.id} requires a body, and nothing feeds it`,
      'feed it with `body: "args.…"`',
    );
  }
}

/**
 * Whether the parameter or body property needs a source. In an optional body, a required property needs one only if another
 * property has a source.
 */
export function isRequiredWhenSent(
  { operation }: FieldContext,
  slot: InputSlot,
  touchesBody: boolean,
): boolean {
  const property = touchesBody ? operation.body?.shape.properties.get(slot.name) : undefined;
  return slot.required || (property !== undefined && isRequiredOfRequest(property));
}
