/**
 * Finds the member of REST's `oneOf` that a field of a `@oneOf` type stands for (GraphQL spec §3.10.1). Exactly one of the
 * fields is given. Its value is the whole object that REST takes, or the one property that the object needs. The value by
 * which REST chooses the member, such as `type: "card"`, is written by this layer, unless a field of the object feeds it.
 */
import { type GraphQLInputField, getNullableType, isInputObjectType } from "graphql";
import { discriminate, discriminateByValues } from "../../openapi/shapes/discriminate.ts";
import {
  declaredProperty,
  isRequiredOfRequest,
  makeProperty,
  type Property,
  type Shape,
  type Variant,
  type Variants,
} from "../../openapi/shapes/shape.ts";
import { syntheticIdentity } from "../../openapi/shapes/shape-identity.ts";
import { normalizeName } from "../../schema/graphql-names.ts";
import type { RestNames } from "../../schema/rest-names.ts";
import { matchesVariantName, variantName } from "../variant-names.ts";

export type OneOfMember = {
  readonly member: Variant;
  /** What the field's value is sent as: the member, or its property. */
  readonly sent: Property;
  readonly isWhole: boolean;
  /** The property by which REST chooses the member. `value` is absent if several would do. */
  readonly chosenBy?: { readonly name: string; readonly value?: string; readonly isFed: boolean };
};

/**
 * A property that REST does not require chooses as well: this layer writes it. Where none chooses among the members, one
 * that a member alone has is no name of the member.
 */
export const discriminateRequest = (variants: Variants): Variants => {
  const told = discriminate(variants);
  if (told?.property !== undefined) return told;
  return discriminateByValues(variants.members, ({ only }) => only !== "response") ?? variants;
};

/** A member is named as its schema, or by the value that chooses it; any other by a property that needs no other beside it. */
export function findOneOfMember(
  names: RestNames,
  field: GraphQLInputField,
  { property: choosing, members }: Variants,
): OneOfMember | undefined {
  const name = names.of(field);
  const isNamed = (each: Variant): boolean =>
    matchesVariantName(name, each) || normalizeName(variantName(each)) === normalizeName(name);
  const whole = members.find(isNamed);
  if (whole) return wholeMember(names, field, name, whole, choosing);
  const own = names.resolve(field, new Set(members.flatMap(({ shape }) => [...shape.properties.keys()])));
  const fed = new Set([own, ...(choosing === undefined ? [] : [choosing])]);
  const member = members.find(
    ({ shape }) => declaredProperty(shape, own) && unboundRequiredProperties(shape, fed).length === 0,
  );
  const found = member && declaredProperty(member.shape, own);
  if (!found) return undefined;
  const sent = makeProperty(own, found.node, false, () => found.shape, found.only ?? null);
  return { member, sent, isWhole: false, ...chosenBy(own, member, choosing, choosing === own) };
}

function wholeMember(
  names: RestNames,
  field: GraphQLInputField,
  name: string,
  member: Variant,
  choosing: string | undefined,
): OneOfMember {
  const { shape } = member;
  const type = getNullableType(field.type);
  const sentAs = (sent: Shape): Property => makeProperty(name, member.node, false, () => sent, null);
  // a custom scalar or a list passes as it is
  if (choosing === undefined || !isInputObjectType(type))
    return { member, sent: sentAs(shape), isWhole: true };
  const isFed = Object.values(type.getFields()).some(
    (each) => names.resolve(each, shape.properties) === choosing,
  );
  const sent = sentAs(isFed ? shape : withoutProperty(shape, choosing));
  return { member, sent, isWhole: true, ...chosenBy(name, member, choosing, isFed) };
}

/** The value is the one that the field is named after, or the only one. */
function chosenBy(
  field: string,
  { shape, values }: Variant,
  name: string | undefined,
  isFed: boolean,
): Pick<OneOfMember, "chosenBy"> {
  if (name === undefined || shape.properties.get(name)?.only === "response") return {};
  const value =
    values.find((each) => normalizeName(each) === normalizeName(field)) ??
    (values.length > 1 ? undefined : values[0]);
  return { chosenBy: { name, isFed, ...(value !== undefined && { value }) } };
}

/** The names of the properties that REST requires of a request and nothing feeds. */
export const unboundRequiredProperties = ({ properties }: Shape, fed: ReadonlySet<string>): string[] =>
  [...properties.values()].flatMap((each) =>
    isRequiredOfRequest(each) && !fed.has(each.name) ? [each.name] : [],
  );

/** The member as the field has to feed it. */
export const withoutProperty = (shape: Shape, name: string): Shape =>
  shape.with({
    identity: syntheticIdentity(`without(${name}, ${shape.identity.text})`),
    properties: () => new Map([...shape.properties].filter(([each]) => each !== name)),
  });
