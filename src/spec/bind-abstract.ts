/** Unions and interfaces over `oneOf` with a discriminator: every member has a value, every value a member. */
import type { GraphQLInterfaceType, GraphQLUnionType } from "graphql";
import type { Binding } from "./binding.ts";
import type { Value } from "./bound.ts";
import { didYouMean, type Where } from "./findings.ts";
import type { Variant } from "./shape.ts";
import { declared } from "./shape.ts";

export function bindAbstract(
  binding: Binding,
  where: Where,
  type: GraphQLUnionType | GraphQLInterfaceType,
  value: Value,
): void {
  const { findings } = binding;
  const variants = value.shape.variants;
  const property = variants?.property;
  if (!variants || property === undefined) {
    findings.add(
      "discriminator-missing",
      where,
      `${where.coordinate} is ${type}, but its REST value has no oneOf with a discriminator`,
      "add `discriminator` to the REST schema: it chooses the member",
    );
    return;
  }
  const members = new Map<string, string>();
  const left = new Set(binding.schema.getPossibleTypes(type));
  for (const variant of variants.members) {
    const member = [...left].find((candidate) => standsFor(candidate.name, variant));
    const name = variant.name ?? variant.values[0] ?? "?";
    if (!member || variant.values.length === 0) {
      const near = didYouMean(
        name,
        [...left].map((candidate) => candidate.name),
      );
      findings.add(
        "value-without-member",
        { ...where, rest: variant.node },
        `${type} has no member for REST's ${name} (${property}: ${variant.values.join(", ") || "no value"})${near}`,
        `add a member named ${name} to ${type}`,
      );
      continue;
    }
    left.delete(member);
    binding.rely(where.coordinate, variant.shape.node, variant.shape.properties.get(property)?.node);
    checkDiscriminator(binding, where, variant, property, name);
    for (const chosen of variant.values) members.set(chosen, member.name);
    const narrowed = `Extract<${value.expression}, { ${JSON.stringify(property)}: ${variant.values.map((each) => JSON.stringify(each)).join(" | ")} }>`;
    binding.back(member.name, variant.shape, binding.expressionOf(variant.shape, narrowed));
  }
  for (const member of left) {
    findings.add(
      "member-without-value",
      where,
      `no value of "${property}" chooses ${member.name}, a member of ${type}`,
      "remove the member, or add it to the REST oneOf",
    );
  }
  binding.addAbstract({ name: type.name, property, members });
}

/** Whether a variant's objects always hold the discriminator. */
export const isTold = ({ shape }: Variant, property: string): boolean => {
  const found = declared(shape, property);
  return found?.required === true && !found.shape.nullable;
};

/** The property must always be there (OpenAPI 3.1 §4.8.25), and say nothing that the mapping does not know. */
function checkDiscriminator(
  { findings }: Binding,
  where: Where,
  variant: Variant,
  property: string,
  name: string,
): void {
  const { shape, unmapped } = variant;
  const found = declared(shape, property);
  if (!isTold(variant, property)) {
    findings.add(
      "discriminator-missing",
      { ...where, rest: found?.node ?? shape.node },
      `${where.coordinate} is chosen by "${property}", which REST may leave out of ${name}`,
      `make "${property}" a required property of ${name}`,
    );
  }
  if (unmapped.length > 0) {
    findings.add(
      "value-without-member",
      { ...where, rest: found?.shape.node ?? shape.node },
      `the discriminator does not know ${unmapped.join(", ")}, which REST may send as "${property}" of ${name}`,
      "add it to the discriminator's mapping",
    );
  }
}

const plain = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();

/** A member is a variant's if it has the name of its schema, or of one of its values; case and punctuation aside. */
export const standsFor = (member: string, variant: Variant): boolean =>
  [variant.name, ...variant.values].some((name) => name !== undefined && plain(name) === plain(member));
