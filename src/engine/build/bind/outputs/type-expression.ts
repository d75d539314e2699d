/**
 * TypeScript types of REST values as text, in terms of the generated REST types (`components`, `paths`) and of type helpers in
 * `src/engine/runtime/rest`.
 */
import { isInherited } from "../../../shared/own.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import type { Variant } from "../../openapi/shapes/shape.ts";

/** The type of a component, without null for objects, because resolvers never read an object that is null. */
export function componentType(name: string, isNullable: boolean): string {
  const type = `components["schemas"][${JSON.stringify(name)}]`;
  return isNullable ? `NonNullable<${type}>` : type;
}

/** The body of a response. openapi-typescript writes a status as a number, and a range such as `2XX` as a string. */
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

/** The type of the list that `src/engine/runtime/rest/property.ts` creates from a map. */
export const entriesType = (map: string): string => `Entries<${map}>`;

/**
 * The TypeScript type of a REST page together with a connection's fields, such as `pageInfo`
 * (`src/engine/runtime/rest/connection.ts`). Without `page`: the type of these fields alone.
 */
export const connectionType = (page: string | undefined, item: string): string =>
  `Connection<${page ?? "unknown"}, ${item}>`;

/** The members of a union with one of the discriminator values. */
export function variantType(union: string, property: string, values: readonly string[]): string {
  const literals = values.map((value) => JSON.stringify(value)).join(" | ");
  return `Extract<${union}, { ${JSON.stringify(property)}: ${literals} }>`;
}

const json = "string | number | boolean | null | readonly unknown[] | { [name: string]: unknown }";

/** The members of a union that have the variant's property or, without one, none of the others' properties. */
export function variantTypeByProperty(
  union: string,
  { values: [own] }: Variant,
  members: readonly Variant[],
): string {
  // in TypeScript, every object has the inherited functions, such as `constructor`; JSON values are never functions
  const valueType = (name: string): string => (isInherited(name) ? json : "unknown");
  const having = (name: string): string => `{ ${JSON.stringify(name)}: ${valueType(name)} }`;
  const others = members.flatMap(({ values }) => values.map(having)).join(" | ");
  return own === undefined ? `Exclude<${union}, ${others}>` : `Extract<${union}, ${having(own)}>`;
}

/** The type without null. `componentType` leaves null out already. */
export const withoutNull = (type: string): string =>
  /^NonNullable<.*>$|^components\["schemas"\]\["[^"]*"\]$/.test(type) ? type : `NonNullable<${type}>`;
