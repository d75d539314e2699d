/** The input slots of an operation: its parameters and the properties of its JSON body. */

import type { RestNode } from "../../openapi/document.ts";
import { type InputLocation, inputKey, type RestOperation } from "../../openapi/operation.ts";
import type { Shape } from "../../openapi/shape.ts";
import { didYouMean } from "../findings.ts";

export type InputSlot = {
  readonly name: string;
  readonly in: InputLocation;
  readonly required: boolean;
  readonly shape: Shape;
  readonly node: RestNode;
  /** A body property that is only in responses. */
  readonly isReadOnly?: true;
  /** `required` names the property, and its schema is unknown. */
  readonly isUndeclared?: true;
};

export function inputSlotsOf(operation: RestOperation): InputSlot[] {
  const { body } = operation;
  const properties = body ? [...body.shape.properties.values()] : [];
  return [
    ...operation.parameters,
    ...properties.map((property) => ({
      name: property.name,
      in: "body" as const,
      required: property.required && property.only !== "response" && body?.required === true,
      shape: property.shape,
      node: property.node,
      ...(property.only === "response" && { isReadOnly: true as const }),
      ...(property.isUndeclared && { isUndeclared: property.isUndeclared }),
    })),
  ];
}

/** Says that there is no such slot, and suggests the same name in another location or the nearest name. */
export function noSlotMessage(
  { id }: RestOperation,
  slots: readonly InputSlot[],
  name: string,
  location?: InputLocation,
): string {
  const [other] = findSlots(slots, name);
  const near = didYouMean(
    name,
    slots.map((slot) => slot.name),
  );
  const meant = other ? `; "${other.name}" is in ${other.in}` : near;
  return `${id} has no ${location ? `${location} ` : ""}parameter "${name}"${meant}`;
}

/** The slots with this REST name, in the given location or in any. Header names are case-insensitive. */
export const findSlots = (slots: readonly InputSlot[], name: string, location?: InputLocation): InputSlot[] =>
  slots.filter(
    (slot) =>
      !slot.isUndeclared &&
      (!location || slot.in === location) &&
      inputKey(slot) === inputKey({ name, in: slot.in }),
  );
