/** Names the members of a `oneOf`. Members of a union type and fields of a `@oneOf` input type are matched by these names. */
import type { Variant } from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";

/** A member with neither a schema name nor a discriminator value is named by its index: `oneOf.1`. */
export const variantName = ({ name, values, node }: Variant): string =>
  name ?? values[0] ?? node.path.slice(-2).join(".");

export const variantNames = ({ name, values }: Variant): string[] => [
  ...(name === undefined ? [] : [name]),
  ...values,
];

/** Whether the name is that of the variant's schema or of one of its discriminator values, ignoring case and punctuation. */
export const matchesVariantName = (member: string, variant: Variant): boolean =>
  variantNames(variant).some((name) => normalizeName(name) === normalizeName(member));
