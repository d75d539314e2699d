/**
 * The names of the members of a `oneOf`. The members of a union type, and the fields of a `@oneOf` input type, are matched by
 * these names.
 */
import type { Variant } from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";

/** A member that has neither a name nor a discriminator value is named by its index: `oneOf.1`. */
export const variantName = ({ name, values, node }: Variant): string =>
  name ?? values[0] ?? node.path.slice(-2).join(".");

/** The name of the variant's schema, and its values. */
export const variantNames = ({ name, values }: Variant): string[] => [
  ...(name === undefined ? [] : [name]),
  ...values,
];

/** Whether a member is named like the variant's schema or one of its values, ignoring case and punctuation. */
export const matchesVariantName = (member: string, variant: Variant): boolean =>
  variantNames(variant).some((name) => normalizeName(name) === normalizeName(member));
