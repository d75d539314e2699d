/**
 * Finds what distinguishes the members of a `oneOf`: the discriminator; else a required property whose `enum` or `const` differs
 * in every member; else, for each member but one, a required property that no other member can have.
 */
import { isNever } from "./map-entries.ts";
import { declaredProperty, isOnly, type Property, type Shape, type Variant, type Variants } from "./shape.ts";

/**
 * Returns the members with the values that distinguish them. If the result has no `property`, the value that distinguishes a
 * member is the name of a property that no other member has.
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

/** Finds a property that has different possible values in each member. `counts` tests whether a property may be used. */
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

/** Whether every response contains the property. Responses omit `writeOnly` properties even if they are required. */
const isAlwaysSent = ({ required, only }: Property): boolean => required && only !== "request";

/** Returns the values of an enum; `undefined` if the property may have other values. */
const onlyValues = ({ shape: { values, nullable } }: Property): readonly string[] | undefined =>
  !nullable && values?.every((value) => typeof value === "string") ? values : undefined;

/** Whether the shape rejects every object that has the property. */
function lacks(shape: Shape, name: string): boolean {
  if (shape.members) return shape.members.every((member) => lacks(member, name));
  const found = shape.properties.get(name);
  return found ? isNever(found.node.value) : shape.isClosed === true;
}
