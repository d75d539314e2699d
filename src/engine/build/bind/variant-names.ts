/**
 * The names of a `oneOf`'s members, by which the members of union types and the fields of `@oneOf` inputs are matched to them.
 */
import type { Variant } from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";

/** An inline member without a discriminator value is named by its index: `oneOf.1`. */
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
