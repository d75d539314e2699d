/** Makes a property of a shape, whose own shape is computed on its first read. */
import { membersOf } from "../../../shared/json-object.ts";
import type { RestNode } from "../document.ts";
import { lazy } from "./lazy.ts";
import type { Property, Shape } from "./shape.ts";

export function makeProperty(
  name: string,
  node: RestNode,
  required: boolean,
  make: () => Shape,
  only: Property["only"] | null = onlyIn(node) ?? null,
): Property {
  const shape = lazy(make);
  return {
    name,
    node,
    required,
    ...(only && { only }),
    get shape() {
      return shape();
    },
  };
}

function onlyIn({ value }: RestNode): Property["only"] {
  const { readOnly, writeOnly } = membersOf(value);
  return readOnly === true ? "response" : writeOnly === true ? "request" : undefined;
}
