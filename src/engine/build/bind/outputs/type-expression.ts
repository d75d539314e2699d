/**
 * Prints TypeScript types of REST values, using the generated types (`components`, `paths`) and helpers of
 * `src/engine/runtime/rest`.
 */
import { isInherited } from "../../../shared/own.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import type { Variant } from "../../openapi/shapes/shape.ts";

/** Returns the type without null, because resolvers only read objects that are not null. */
export function componentType(name: string, isNullable: boolean): string {
  const type = `components["schemas"][${JSON.stringify(name)}]`;
  return isNullable ? `NonNullable<${type}>` : type;
}

/** openapi-typescript writes a status as a number, but a range such as `2XX` as a string. */
export function bodyType(
  { path, method }: Pick<RestOperation, "path" | "method">,
  status: string,
  media: string,
): string {
  const key = /^\d+$/.test(status) ? status : JSON.stringify(status);
  const responses = `paths[${JSON.stringify(path)}]["${method}"]["responses"]`;
  return `${responses}[${key}]["content"][${JSON.stringify(media)}]`;
}

export const propertyType = (object: string, name: string): string =>
  `NonNullable<${object}[${JSON.stringify(name)}]>`;

export const itemType = (list: string): string => `NonNullable<${list}>[number]`;

/** Type of the list that `src/engine/runtime/rest/property.ts` creates from a map. */
export const entriesType = (map: string): string => `Entries<${map}>`;

/** Type of a REST page with `pageInfo` and the other fields that `src/engine/runtime/rest/connection.ts` adds. */
export const connectionType = (page: string | undefined, item: string): string =>
  `Connection<${page ?? "unknown"}, ${item}>`;

/** Narrows a union to the members with one of the discriminator values. */
export function variantType(union: string, property: string, values: readonly string[]): string {
  const literals = values.map((value) => JSON.stringify(value)).join(" | ");
  return `Extract<${union}, { ${JSON.stringify(property)}: ${literals} }>`;
}

const json = "string | number | boolean | null | readonly unknown[] | { [name: string]: unknown }";

/**
 * Narrows a union to the member with the variant's identifying property. If this variant has none, excludes all members with the
 * identifying property of another variant.
 */
export function variantTypeByProperty(
  union: string,
  { values: [own] }: Variant,
  members: readonly Variant[],
): string {
  // `unknown` would match the `constructor` function that every object inherits; a JSON value does not
  const valueType = (name: string): string => (isInherited(name) ? json : "unknown");
  const having = (name: string): string => `{ ${JSON.stringify(name)}: ${valueType(name)} }`;
  const others = members.flatMap(({ values }) => values.map(having)).join(" | ");
  return own === undefined ? `Exclude<${union}, ${others}>` : `Extract<${union}, ${having(own)}>`;
}

export const withoutNull = (type: string): string =>
  /^NonNullable<.*>$|^components\["schemas"\]\["[^"]*"\]$/.test(type) ? type : `NonNullable<${type}>`;
