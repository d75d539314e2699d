/**
 * Finds how the members of a `oneOf` are told apart: by the discriminator, by a property that each member requires with
 * values of its own (`enum`, `const`), or by a property that each member but one requires and no other member can have.
 * Such properties prove the member without a discriminator.
 */
import { isNever } from "./map-entries.ts";
import { declaredProperty, isOnly, type Property, type Shape, type Variant, type Variants } from "./shape.ts";

/**
 * The members with the values that tell them. Without `property` in the result, the value of a member is the name of a
 * property that it alone has. One member may have none.
 */
export function discriminate({ property, members }: Variants): Variants | undefined {
  if (property !== undefined) return { property, members };
  if (members.length < 2 || !members.every(({ shape }) => isOnly(shape, "object"))) return undefined;
  const byValues = discriminateByValues(members, isAlwaysSent);
  if (byValues) return byValues;
  const own = members.map((member) => {
    const rest = members.filter((each) => each !== member);
    const isOwn = (each: Property): boolean =>
      isAlwaysSent(each) && rest.every(({ shape }) => lacks(shape, each.name));
    return [...member.shape.properties.values()].filter(isOwn).slice(0, 1);
  });
  if (own.filter(({ length }) => length === 0).length > 1) return undefined;
  const names = own.map((properties) => properties.map(({ name }) => name));
  return { members: withValues(members, names) };
}

/** By a property that each member has with values of its own, if such a property is one that `counts`. */
export function discriminateByValues(
  members: readonly Variant[],
  counts: (property: Property) => boolean,
): Variants | undefined {
  for (const name of members[0]?.shape.properties.keys() ?? []) {
    const found = members.map(({ shape }) => {
      const property = declaredProperty(shape, name);
      return (property && counts(property) && onlyValues(property)) || [];
    });
    const values = found.flat();
    if (found.every(({ length }) => length > 0) && new Set(values).size === values.length)
      return { property: name, members: withValues(members, found) };
  }
  return undefined;
}

const withValues = (members: readonly Variant[], values: readonly (readonly string[])[]): Variant[] =>
  members.map((member, index) => ({ ...member, values: values[index] ?? [], unmapped: [] }));

/** REST leaves a `writeOnly` property out of a response, though its schema requires it. */
const isAlwaysSent = ({ required, only }: Property): boolean => required && only !== "request";

/** `undefined`: the property may have any other value. */
const onlyValues = ({ shape: { values, nullable } }: Property): readonly string[] | undefined =>
  !nullable && values?.every((value) => typeof value === "string") ? values : undefined;

/** Whether no object of the shape can have the property. An object may have properties that its schema does not declare. */
function lacks(shape: Shape, name: string): boolean {
  if (shape.members) return shape.members.every((member) => lacks(member, name));
  const found = shape.properties.get(name);
  return found ? isNever(found.node.value) : shape.isClosed === true;
}
