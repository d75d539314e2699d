/** The input slots of an operation: its parameters and the properties of its JSON body. */

import type { RestNode } from "../../openapi/document.ts";
import { type InputLocation, inputKey, type RestOperation } from "../../openapi/operation.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { Findings } from "../findings.ts";

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

type NumberedSlot = { readonly slot: InputSlot; readonly index: number };

export const locations: readonly InputLocation[] = ["path", "query", "header", "body"];

export class InputSlots {
  readonly all: readonly InputSlot[];
  readonly #operation: RestOperation;
  /** The declared slots by their keys: an operation may have thousands. */
  readonly #byKey: ReadonlyMap<string, readonly NumberedSlot[]>;
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(operation: RestOperation) {
    this.#operation = operation;
    this.all = slotsOf(operation);
    const declared = this.all.flatMap((slot, index) => (slot.isUndeclared ? [] : [{ slot, index }]));
    this.#byKey = Map.groupBy(declared, ({ slot }) => inputKey(slot));
  }

  /** The slots with this REST name, in the given location or in any, in their order. Header names are case-insensitive. */
  find(name: string, location?: InputLocation): InputSlot[] {
    return (location ? [location] : locations)
      .flatMap((each) => this.#byKey.get(inputKey({ name, in: each })) ?? [])
      .sort((one, other) => one.index - other.index)
      .map(({ slot }) => slot);
  }

  /** The REST names of the slots in these locations. */
  names(locations: readonly InputLocation[]): ReadonlySet<string> {
    const key = locations.join();
    const known = this.#names.get(key);
    if (known) return known;
    const names = new Set(this.all.flatMap((slot) => (locations.includes(slot.in) ? [slot.name] : [])));
    this.#names.set(key, names);
    return names;
  }

  /** Says that there is no such slot, and suggests the same name in another location or the nearest name of `likely`. */
  missingMessage(
    findings: Findings,
    name: string,
    location?: InputLocation,
    likely: readonly InputSlot[] = this.all,
  ): string {
    const [other] = this.find(name);
    const meant = other
      ? `; "${other.name}" is in ${other.in}`
      : findings.didYouMean(name, () => likely.map((slot) => slot.name));
    return `${this.#operation.id} has no ${location ? `${location} ` : ""}parameter "${name}"${meant}`;
  }
}

export function slotsOf(operation: RestOperation): InputSlot[] {
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
