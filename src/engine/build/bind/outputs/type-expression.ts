/**
 * Prints TypeScript types of REST values. They refer to the generated REST types (`components`, `paths`) and to the type helpers
 * of `src/engine/runtime/rest`.
 */
import { isInherited } from "../../../shared/own.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import type { Variant } from "../../openapi/shapes/shape.ts";

/** Returns the type of a component, without null, because resolvers only read objects that are not null. */
export function componentType(name: string, isNullable: boolean): string {
  const type = `components["schemas"][${JSON.stringify(name)}]`;
  return isNullable ? `NonNullable<${type}>` : type;
}

/** Returns the type of a response body. openapi-typescript writes a status as a number, but a range such as `2XX` as a string. */
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

/** Returns the type of the list that `src/engine/runtime/rest/property.ts` creates from a map. */
export const entriesType = (map: string): string => `Entries<${map}>`;

/**
 * Returns the type of a REST page with the fields that `src/engine/runtime/rest/connection.ts` adds, such as `pageInfo`; without
 * `page`, the type of the added fields.
 */
export const connectionType = (page: string | undefined, item: string): string =>
  `Connection<${page ?? "unknown"}, ${item}>`;

/** Selects the members of the union that have one of the discriminator values. */
export function variantType(union: string, property: string, values: readonly string[]): string {
  const literals = values.map((value) => JSON.stringify(value)).join(" | ");
  return `Extract<${union}, { ${JSON.stringify(property)}: ${literals} }>`;
}

const json = "string | number | boolean | null | readonly unknown[] | { [name: string]: unknown }";

/**
 * Selects the members of the union that have the variant's distinguishing property; for a variant without one, the members
 * without the properties of all other variants.
 */
export function variantTypeByProperty(
  union: string,
  { values: [own] }: Variant,
  members: readonly Variant[],
): string {
  // in TypeScript, every object has inherited functions such as `constructor`, but JSON values are never functions
  const valueType = (name: string): string => (isInherited(name) ? json : "unknown");
  const having = (name: string): string => `{ ${JSON.stringify(name)}: ${valueType(name)} }`;
  const others = members.flatMap(({ values }) => values.map(having)).join(" | ");
  return own === undefined ? `Exclude<${union}, ${others}>` : `Extract<${union}, ${having(own)}>`;
}

/** Removes null from a type, unless the type is known to exclude it. */
export const withoutNull = (type: string): string =>
  /^NonNullable<.*>$|^components\["schemas"\]\["[^"]*"\]$/.test(type) ? type : `NonNullable<${type}>`;
