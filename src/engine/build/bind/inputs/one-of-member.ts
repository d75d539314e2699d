/**
 * Maps each field of a `@oneOf` input type (GraphQL §3.10.1) to a member of REST's `oneOf`. The field's value is sent as the
 * whole member, or as the only property that the member requires. The server adds the discriminator, such as `type: "card"`,
 * unless the client sets it.
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
  /** The REST property that the field feeds. If `isWholeMember`, a synthetic property with the member's schema. */
  readonly sent: Property;
  readonly isWholeMember: boolean;
  /** The discriminator property, and its value if only one is possible. `isBound`: whether an input field feeds the property. */
  readonly chosenBy?: { readonly name: string; readonly value?: string; readonly isBound: boolean };
};

/**
 * Finds the property that distinguishes the members of a `oneOf` in a request body. It may be optional, because the server always
 * adds it.
 */
export const discriminateRequest = (variants: Variants): Variants => {
  const discriminated = discriminate(variants);
  if (discriminated?.property !== undefined) return discriminated;
  return discriminateByValues(variants.members, ({ only }) => only !== "response") ?? variants;
};

/** Finds a field's `oneOf` member by the member's schema name, discriminator value or only required property. */
export function findOneOfMember(
  names: RestNames,
  field: GraphQLInputField,
  { property: choosing, members }: Variants,
): OneOfMember | undefined {
  const name = names.of(field);
  const isNamed = (each: Variant): boolean =>
    matchesVariantName(name, each) || normalizeName(variantName(each)) === normalizeName(name);
  const whole = members.find(isNamed);
  if (whole) return wholeMember(names, field, whole, choosing);
  const own = names.resolve(field, new Set(members.flatMap(({ shape }) => [...shape.properties.keys()])));
  const fed = new Set([own, ...(choosing === undefined ? [] : [choosing])]);
  const member = members.find(
    ({ shape }) => declaredProperty(shape, own) && unboundRequiredProperties(shape, fed).length === 0,
  );
  const found = member && declaredProperty(member.shape, own);
  if (!found) return undefined;
  const sent = makeProperty({ ...found, name: own, required: false }, () => found.shape);
  return { member, sent, isWholeMember: false, ...chosenBy(own, member, choosing, choosing === own) };
}

function wholeMember(
  names: RestNames,
  field: GraphQLInputField,
  member: Variant,
  choosing: string | undefined,
): OneOfMember {
  const name = names.of(field);
  const { shape } = member;
  const type = getNullableType(field.type);
  const sentAs = (sent: Shape): Property =>
    makeProperty({ name, node: member.node, required: false }, () => sent);
  // only an object can have the discriminator; a custom scalar or a list is sent unchanged
  if (choosing === undefined || !isInputObjectType(type))
    return { member, sent: sentAs(shape), isWholeMember: true };
  const isBound = Object.values(type.getFields()).some(
    (each) => names.resolve(each, shape.properties) === choosing,
  );
  const sent = sentAs(isBound ? shape : withoutProperty(shape, choosing));
  return { member, sent, isWholeMember: true, ...chosenBy(name, member, choosing, isBound) };
}

/** Returns the discriminator value that equals the field's name, or the only value. */
function chosenBy(
  field: string,
  { shape, values }: Variant,
  name: string | undefined,
  isBound: boolean,
): Pick<OneOfMember, "chosenBy"> {
  if (name === undefined || shape.properties.get(name)?.only === "response") return {};
  const value =
    values.find((each) => normalizeName(each) === normalizeName(field)) ??
    (values.length > 1 ? undefined : values[0]);
  return { chosenBy: { name, isBound, ...(value !== undefined && { value }) } };
}

/** Returns the names of required request properties that are not in `fed`. */
export const unboundRequiredProperties = ({ properties }: Shape, fed: ReadonlySet<string>): string[] =>
  [...properties.values()].flatMap((each) =>
    isRequiredOfRequest(each) && !fed.has(each.name) ? [each.name] : [],
  );

export const withoutProperty = (shape: Shape, name: string): Shape =>
  shape.with({
    identity: syntheticIdentity(`without(${name}, ${shape.identity.text})`),
    properties: () => new Map([...shape.properties].filter(([each]) => each !== name)),
  });
