/** The parameters and body properties of an operation ("slots"), which arguments or other sources can fill. */

import { type InputLocation, inputKey, type RestOperation } from "../../openapi/operation.ts";
import { isRequiredOfRequest, type Property } from "../../openapi/shapes/shape.ts";
import type { Findings } from "../findings.ts";

export type InputSlot = Property & { readonly in: InputLocation };

export const locations: readonly InputLocation[] = ["path", "query", "header", "body"];

export class InputSlots {
  readonly all: readonly InputSlot[];
  readonly #operation: RestOperation;
  readonly #byName: ReadonlyMap<string, readonly InputSlot[]>;
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(operation: RestOperation) {
    this.#operation = operation;
    this.all = inputSlotsOf(operation);
    const declared = this.all.filter(({ isUndeclared }) => !isUndeclared);
    this.#byName = Map.groupBy(declared, ({ name }) => name.toLowerCase());
  }

  /** Returns the slots with this REST name, in document order. Header names are case-insensitive. */
  find(name: string, location?: InputLocation): InputSlot[] {
    return (this.#byName.get(name.toLowerCase()) ?? []).filter(
      (slot) => slot.in === (location ?? slot.in) && inputKey(slot) === inputKey({ name, in: slot.in }),
    );
  }

  names(locations: readonly InputLocation[]): ReadonlySet<string> {
    const key = locations.join();
    const known = this.#names.get(key);
    if (known) return known;
    const names = new Set(this.all.flatMap((slot) => (locations.includes(slot.in) ? [slot.name] : [])));
    this.#names.set(key, names);
    return names;
  }

  /** Returns `… has no parameter "x"`, and suggests the same name in another location or the most similar name in `likely`. */
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

export function inputSlotsOf(operation: RestOperation): InputSlot[] {
  const { body } = operation;
  const properties = body ? [...body.shape.properties.values()] : [];
  return [
    ...operation.parameters,
    ...properties.map((property) => ({
      ...property,
      in: "body" as const,
      required: isRequiredOfRequest(property) && body?.required === true,
    })),
  ];
}
