/** The names of a `oneOf`'s members, by which the types of a union and the fields of a `@oneOf` input stand for them. */
import type { Variant } from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";

/** A member that stands in the `oneOf` itself, and has no value of its own, is named by its place: `oneOf.1`. */
export const variantName = ({ name, values, node }: Variant): string =>
  name ?? values[0] ?? node.path.slice(-2).join(".");

/** The name of the variant's schema, and its values. */
export const variantNames = ({ name, values }: Variant): string[] => [
  ...(name === undefined ? [] : [name]),
  ...values,
];

/** Whether a member has the name of the variant's schema or of one of its values. Case and punctuation do not count. */
export const matchesVariantName = (member: string, variant: Variant): boolean =>
  variantNames(variant).some((name) => normalizeName(name) === normalizeName(member));
