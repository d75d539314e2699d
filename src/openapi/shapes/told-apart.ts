/**
 * Finds the property that tells the members of a `oneOf` apart: the discriminator, or a property that each member requires
 * with values of its own (`enum`, `const`). Such a property proves the member without a discriminator.
 */
import { declaredProperty, type Shape, type Variant, type Variants } from "./shape.ts";

export type ToldApart = { readonly property: string; readonly members: readonly Variant[] };

export function toldApart({ property, members }: Variants): ToldApart | undefined {
  if (property !== undefined) return { property, members };
  const [first, ...others] = members;
  if (!first || others.length === 0) return undefined;
  for (const name of first.shape.properties.keys()) {
    const found = members.map(({ shape }) => ownValues(shape, name) ?? []);
    const values = found.flat();
    if (found.every(({ length }) => length > 0) && new Set(values).size === values.length)
      return {
        property: name,
        members: members.map((member, index) => ({ ...member, values: found[index] ?? [], unmapped: [] })),
      };
  }
  return undefined;
}

/** The only values of the property in objects of the shape. `undefined`: it may be absent, or have any other value. */
function ownValues(shape: Shape, name: string): readonly string[] | undefined {
  const found = declaredProperty(shape, name);
  if (!shape.types.has("object") || shape.types.size > 1 || !found?.required || found.only === "request")
    return undefined;
  const { values, nullable } = found.shape;
  return !nullable && values?.every((value) => typeof value === "string") ? values : undefined;
}
