/** Binds a union or an interface to REST's `oneOf` by mapping each discriminator value to an object type. */
import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLUnionType } from "graphql";
import type { RestDocument } from "../../openapi/document.ts";
import { discriminate } from "../../openapi/shapes/discriminate.ts";
import type { Shape, Variant, Variants } from "../../openapi/shapes/shape.ts";
import { declaredProperty, isOnly } from "../../openapi/shapes/shape.ts";
import { normalizeName } from "../../schema/graphql-names.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import type { AbstractType } from "../model.ts";
import { variantName, variantNames } from "../variant-names.ts";
import type { ResponseValue } from "./response-value.ts";
import { variantType, variantTypeByProperty } from "./type-expression.ts";

const discriminatorHint =
  "add `discriminator` to the REST schema, or give each member a required property with an enum of its own, or one that no other member can have (`additionalProperties: false`), in an overlay if the document is a vendor's";

export function bindAbstract(
  binder: Binder,
  where: FindingTarget,
  type: GraphQLUnionType | GraphQLInterfaceType,
  value: ResponseValue,
): void {
  const { findings } = binder;
  const variants = value.shape.variants && discriminate(value.shape.variants);
  if (!variants) {
    const isOneObject = isOnly(value.shape, "object") && !value.shape.members;
    const [not, hint] = isOneObject
      ? ["is one object, not one of several", "give the field an object type with its properties"]
      : ["is not a oneOf with distinguishable members", discriminatorHint];
    findings.add(
      "discriminator-missing",
      where,
      `${where.coordinate} is ${type}, but its REST value ${not}`,
      hint,
    );
    return;
  }
  const { property } = variants;
  const members = new Map<string, string>();
  let otherwise: string | undefined;
  const { pairs, without, unmatchedTypes } = pairWithMembers(variants, binder.schema.getPossibleTypes(type));
  for (const [variant, member] of pairs) {
    if (property !== undefined && !variant.isDefault) checkDiscriminator(binder, where, variant, property);
    for (const chosen of variant.values) members.set(chosen, member.name);
    if (variant.values.length === 0 || variant.isDefault) otherwise = member.name;
    const narrowed =
      property === undefined
        ? variantTypeByProperty(value.typeExpression, variant, variants.members)
        : variantType(value.typeExpression, property, variant.values);
    const { shape } = variant;
    binder.addBacking(member.name, {
      ...value,
      from: where.coordinate,
      shape,
      typeExpression: binder.typeExpressionOf(shape, narrowed),
    });
  }
  addWithoutMember(binder, where, type, { property, variants: without, unmatchedTypes });
  for (const member of unmatchedTypes) {
    findings.add(
      "member-without-value",
      where,
      `no ${property === undefined ? "property" : `value of "${property}"`} chooses ${member.name}, a member of ${type}`,
      "remove the member, or add it to the REST oneOf",
    );
  }
  const abstract: AbstractType = { name: type.name, property, members, otherwise };
  checkAlike(binder, where, abstract);
  binder.addAbstract(abstract);
}

/**
 * Pairs each member of the `oneOf` with the object type named like its schema or like one of its discriminator values. `without`:
 * members without a type. `unmatchedTypes`: types without a member.
 */
function pairWithMembers({ members, property }: Variants, types: readonly GraphQLObjectType[]) {
  const unmatchedTypes = new Set(types);
  const byLetters = Map.groupBy([...unmatchedTypes].entries(), ([, { name }]) => normalizeName(name));
  const pairs: [Variant, GraphQLObjectType][] = [];
  const without: Variant[] = [];
  for (const variant of members) {
    const [, member] =
      variantNames(variant)
        .flatMap((each) => byLetters.get(normalizeName(each)) ?? [])
        .sort(([one], [other]) => one - other)
        .find(([, candidate]) => unmatchedTypes.has(candidate)) ?? [];
    if (!member || (property !== undefined && variant.values.length === 0)) {
      without.push(variant);
      continue;
    }
    unmatchedTypes.delete(member);
    pairs.push([variant, member]);
  }
  return { pairs, without, unmatchedTypes };
}

/** Checks that all `oneOf`s of a union are discriminated alike, because the union has only one type resolver. */
function checkAlike({ abstracts, findings }: Binder, where: FindingTarget, abstract: AbstractType): void {
  const { name, property, members, otherwise } = abstract;
  const known = abstracts.get(name);
  // with a discriminator, the `oneOf`s may have different values; without one, the same properties must identify their members
  const isSame = ([value, type]: [string, string]): boolean =>
    (known?.members.get(value) ?? (property === undefined ? undefined : type)) === type;
  const isAlike =
    !known ||
    (known.property === property &&
      known.otherwise === otherwise &&
      (property !== undefined || known.members.size === members.size) &&
      [...members].every(isSame));
  if (isAlike) return;
  findings.add(
    "discriminator-missing",
    where,
    `${where.coordinate} is ${name}, whose members are discriminated differently elsewhere: ${describeDiscrimination(known)} there, ${describeDiscrimination(abstract)} here`,
    "write a separate union for each",
  );
}

function describeDiscrimination({ property, members }: AbstractType): string {
  const values = [...members.keys()].join(" or ");
  return property === undefined ? `by having ${values}` : `by "${property}" (${values})`;
}

type Unpaired = {
  readonly property: string | undefined;
  readonly variants: readonly Variant[];
  readonly unmatchedTypes: ReadonlySet<GraphQLObjectType>;
};

/** Reports in one finding all `oneOf` members without an object type. Suggests object types that no member matches. */
function addWithoutMember(
  { findings }: Binder,
  where: FindingTarget,
  type: GraphQLUnionType | GraphQLInterfaceType,
  { property, variants, unmatchedTypes }: Unpaired,
): void {
  const [first] = variants;
  if (!first) return;
  const candidates = [...unmatchedTypes].map(({ name }) => name);
  const texts = variants.map((variant) => {
    const value = variant.values.join(", ") || "no value";
    const ownProperty =
      variant.values.length > 0 ? `which has "${value}"` : "which has no property of its own";
    const criterion = property === undefined ? ownProperty : `${property}: ${value}`;
    return `${variantName(variant)} (${criterion})${variants.length > 1 ? "" : findings.didYouMean(variantName(variant), () => candidates)}`;
  });
  findings.add(
    "value-without-member",
    { ...where, rest: first.node },
    `${type} has no member for REST's ${texts.join(", ")}`,
    `add to ${type} ${variants.length > 1 ? "members" : "a member"} named ${variants.map(variantName).join(", ")}, or write an object type with the properties that all of them share`,
  );
}

/** Whether the member always has the discriminator property. */
export const hasDiscriminator = ({ shape }: Variant, property: string): boolean => {
  const found = declaredProperty(shape, property);
  return found?.required === true && !found.shape.nullable;
};

/**
 * Checks that the member requires the discriminator property (OpenAPI 3.1 §4.8.25), and that the mapping lists all its values.
 */
function checkDiscriminator(
  { document, findings }: Binder,
  where: FindingTarget,
  variant: Variant,
  property: string,
): void {
  const { shape, unmapped } = variant;
  const name = variantName(variant);
  const found = declaredProperty(shape, property);
  if (!hasDiscriminator(variant, property)) {
    findings.add(
      "discriminator-missing",
      { ...where, rest: found?.node ?? shape.node, also: [where.rest] },
      `${where.coordinate} is chosen by "${property}", which REST may leave out of ${name}`,
      `make "${property}" a required property of ${name}${byOverlay(document, shape, property)}`,
    );
  }
  if (unmapped.length > 0) {
    findings.add(
      "value-without-member",
      { ...where, rest: found?.shape.node ?? shape.node, also: [where.rest] },
      `the discriminator does not map ${unmapped.join(", ")}, which REST may send as "${property}" of ${name}`,
      "add it to the discriminator's mapping",
    );
  }
}

/**
 * Suggests an overlay that requires the property. Returns an empty string for a nullable property, because an overlay cannot
 * remove `null` from its type.
 */
function byOverlay(document: RestDocument, shape: Shape, property: string): string {
  const { path } = shape.node;
  const found = declaredProperty(shape, property);
  if (!document.rootAt(shape.node) || found?.shape.nullable) return "";
  const declared = found ? "" : `, properties: { ${property}: { type: string } }`;
  const target = `$${path.map((step) => `[${JSON.stringify(step).replaceAll('"', "'")}]`).join("")}`;
  return `, in ${document.overlayAt(shape.node)} by { target: "${target}", update: { required: [${property}]${declared} } }`;
}
