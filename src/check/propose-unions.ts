/** Which REST values a proposed union can stand over: what the binder tells apart, by types named as it needs them. */
import { isTold, standsFor } from "../spec/bind-abstract.ts";
import type { Model } from "../spec/model.ts";
import type { Shape, Variant } from "../spec/shape.ts";

export const variantName = ({ name, values }: Variant): string => name ?? values[0] ?? "?";

/** Whether members of these names, in the order of the variants, make a union that can be bound and leaves nothing out. */
export function isUnion({ variants, properties }: Shape, names: readonly string[]): boolean {
  const { property, members = [] } = variants ?? {};
  return (
    property !== undefined &&
    new Set(names).size === members.length &&
    members.every(
      (member, index) =>
        isTold(member, property) &&
        member.values.length > 0 &&
        member.unmapped.length === 0 &&
        standsFor(names[index] ?? "", member) &&
        // what is declared beside the oneOf is no member's
        [...properties.keys()].every((name) => member.shape.properties.has(name)),
    )
  );
}

/** The schema's own union or interface that chooses the same types by the same values. */
export function knownUnion(model: Model, { variants }: Shape, names: readonly string[]): string | undefined {
  const chosen = (variants?.members ?? []).flatMap(({ values }, index) =>
    values.map((value) => [value, names[index]] as const),
  );
  const known = [...model.abstracts.values()].find(
    ({ property, members }) =>
      property === variants?.property &&
      members.size === chosen.length &&
      chosen.every(([value, name]) => members.get(value) === name),
  );
  return known?.name;
}

/** Said over a type that stands for one of several objects. */
export function onlyShared({ variants }: Shape): string[] {
  if (!variants) return [];
  const names = variants.members.map(variantName).join(", ");
  return [
    `# Only what REST's ${names} share: what each has of its own is left out. To show it, write a union, which needs`,
    "# a discriminator that each of them requires, and a type named like each.",
  ];
}
