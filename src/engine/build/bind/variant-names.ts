/** Names the members of REST's `oneOf`, to match them with the types of a union or the fields of a `@oneOf` input. */
import type { Variant } from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";

/** A member with neither a schema name nor a discriminator value is named by its index: `oneOf.1`. */
export const variantName = ({ name, values, node }: Variant): string =>
  name ?? values[0] ?? node.path.slice(-2).join(".");

export const variantNames = ({ name, values }: Variant): string[] => [
  ...(name === undefined ? [] : [name]),
  ...values,
];

/** Whether `member` names the variant's schema or one of its discriminator values, ignoring case and punctuation. */
export const matchesVariantName = (member: string, variant: Variant): boolean =>
  variantNames(variant).some((name) => normalizeName(name) === normalizeName(member));
