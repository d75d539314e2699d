/** Decides where `propose` can print a union: the binder must be able to choose the member type of every value. */

import { printable } from "../../shared/cli/printable.ts";
import type { Model } from "../bind/model.ts";
import { hasDiscriminator } from "../bind/outputs/bind-abstract.ts";
import { matchesVariantName, variantName } from "../bind/variant-names.ts";
import type { Shape, Variants } from "../openapi/shapes/shape.ts";

/** Whether a union of the types `names`, one for each variant in order, can be bound and covers every value. */
export function isUnion(
  { properties }: Shape,
  { property, members }: Variants,
  names: readonly string[],
): boolean {
  return (
    new Set(names).size === members.length &&
    members.every(
      (member, index) =>
        (property === undefined || hasDiscriminator(member, property)) &&
        (property === undefined ? member.shape.properties.size : member.values.length) > 0 &&
        member.unmapped.length === 0 &&
        matchesVariantName(names[index] ?? "", member) &&
        // a property declared beside the oneOf must be a property of each member
        [...properties.keys()].every((name) => member.shape.properties.has(name)),
    )
  );
}

/** The union or interface of the schema that chooses the same types by the same values. */
export function matchingUnion(
  model: Model,
  variants: Variants,
  names: readonly string[],
): string | undefined {
  const chosen = variants.members.flatMap(({ values }, index) =>
    values.map((value) => [value, names[index]] as const),
  );
  const known = [...model.abstracts.values()].find(
    ({ property, members, otherwise }) =>
      property === variants.property &&
      otherwise === names[variants.members.findIndex(({ values }) => values.length === 0)] &&
      members.size === chosen.length &&
      chosen.every(([value, name]) => members.get(value) === name),
  );
  return known?.name;
}

/** A comment above an object type that leaves something out: what several REST objects do not share, and further properties. */
export function sharedFieldsComment({ variants, entry }: Shape): string[] {
  const isDescribed = (entry?.properties.get("value")?.shape.types.size ?? 0) > 0;
  const further = isDescribed
    ? ["# Without the further properties that REST may send (additionalProperties): no field shows them."]
    : [];
  if (!variants) return further;
  const names = variants.members.map(variantName).map(printable).join(", ");
  return [
    ...further,
    `# Only what REST's ${names} share: what each has of its own is left out. To show it, write a union, which needs`,
    "# in each of them a required property with values of its own, or one that no other can have, and a type named like each.",
  ];
}
