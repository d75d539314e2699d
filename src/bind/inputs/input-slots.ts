/** The input slots of an operation: its parameters and the properties of its JSON body. */

import type { RestNode } from "../../openapi/document.ts";
import { type InputLocation, inputKey, type RestOperation } from "../../openapi/operation.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";

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

const known = new WeakMap<RestOperation, readonly InputSlot[]>();

/** The same list for the same operation. */
export function inputSlotsOf(operation: RestOperation): readonly InputSlot[] {
  const slots = known.get(operation) ?? readSlots(operation);
  known.set(operation, slots);
  return slots;
}

function readSlots(operation: RestOperation): InputSlot[] {
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
  { findings }: Binder,
  { id }: RestOperation,
  slots: readonly InputSlot[],
  name: string,
  location?: InputLocation,
): string {
  const [other] = findSlots(slots, name);
  const meant = other
    ? `; "${other.name}" is in ${other.in}`
    : findings.didYouMean(name, () => slots.map((slot) => slot.name));
  return `${id} has no ${location ? `${location} ` : ""}parameter "${name}"${meant}`;
}

type NumberedSlot = { readonly slot: InputSlot; readonly index: number };

const byKeys = new WeakMap<readonly InputSlot[], ReadonlyMap<string, readonly NumberedSlot[]>>();

/** The declared slots by their keys: an operation may have thousands. */
function slotsByKey(slots: readonly InputSlot[]): ReadonlyMap<string, readonly NumberedSlot[]> {
  const known = byKeys.get(slots);
  if (known) return known;
  const declared = slots.flatMap((slot, index) => (slot.isUndeclared ? [] : [{ slot, index }]));
  const byKey = Map.groupBy(declared, ({ slot }) => inputKey(slot));
  byKeys.set(slots, byKey);
  return byKey;
}

const locations: readonly InputLocation[] = ["path", "query", "header", "body"];

/** The slots with this REST name, in the given location or in any, in their order. Header names are case-insensitive. */
export function findSlots(slots: readonly InputSlot[], name: string, location?: InputLocation): InputSlot[] {
  const byKey = slotsByKey(slots);
  return (location ? [location] : locations)
    .flatMap((each) => byKey.get(inputKey({ name, in: each })) ?? [])
    .sort((one, other) => one.index - other.index)
    .map(({ slot }) => slot);
}
