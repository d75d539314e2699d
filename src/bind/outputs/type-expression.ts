/** TypeScript types of REST values, in terms of the generated REST types. */
import type { RestOperation } from "../../openapi/operation.ts";
import type { Variant } from "../../openapi/shapes/shape.ts";

export type TypeExpression = {
  /** The generated type that the expression starts from. */
  readonly root: "components" | "paths";
  readonly text: string;
};

/** The type of a component. The type of an object leaves out null: no resolver reads an object that is null. */
export function componentType(name: string, isNullable: boolean): TypeExpression {
  const text = `components["schemas"][${JSON.stringify(name)}]`;
  return { root: "components", text: isNullable ? `NonNullable<${text}>` : text };
}

/** The body of a response. openapi-typescript writes a status as a number, and a range such as `2XX` as a string. */
export function bodyType(
  { path, method }: Pick<RestOperation, "path" | "method">,
  status: string,
  media: string,
): TypeExpression {
  const key = /^\d+$/.test(status) ? status : JSON.stringify(status);
  const responses = `paths[${JSON.stringify(path)}]["${method}"]["responses"]`;
  return { root: "paths", text: `${responses}[${key}]["content"][${JSON.stringify(media)}]` };
}

export const propertyType = ({ root, text }: TypeExpression, name: string): TypeExpression => ({
  root,
  text: `NonNullable<${text}[${JSON.stringify(name)}]>`,
});

export const itemType = ({ root, text }: TypeExpression): TypeExpression => ({
  root,
  text: `NonNullable<${text}>[number]`,
});

/** The list that `src/rest/property.ts` makes of a map. */
export const entriesType = ({ root, text }: TypeExpression): TypeExpression => ({
  root,
  text: `Entries<${text}>`,
});

/**
 * The type of a page with the values that `src/rest/connection.ts` adds. Without `page`: the type of these values alone.
 */
export const connectionType = (page: TypeExpression | undefined, item: TypeExpression): TypeExpression => ({
  root: page?.root ?? item.root,
  text: `Connection<${page?.text ?? "unknown"}, ${item.text}>`,
});

/** The members of a union whose discriminator has one of the values. */
export function variantType(
  { root, text }: TypeExpression,
  property: string,
  values: readonly string[],
): TypeExpression {
  const literals = values.map((value) => JSON.stringify(value)).join(" | ");
  return { root, text: `Extract<${text}, { ${JSON.stringify(property)}: ${literals} }>` };
}

/** The members of a union that have the property of the variant, or else none of those of the others. */
export function holderType(
  { root, text }: TypeExpression,
  { values: [own] }: Variant,
  members: readonly Variant[],
): TypeExpression {
  const having = (name: string): string => `{ ${JSON.stringify(name)}: unknown }`;
  const others = members.flatMap(({ values }) => values.map(having)).join(" | ");
  return {
    root,
    text: own === undefined ? `Exclude<${text}, ${others}>` : `Extract<${text}, ${having(own)}>`,
  };
}

/** The type without null. `componentType` leaves null out already. */
export const withoutNull = ({ root, text }: TypeExpression): TypeExpression =>
  /^NonNullable<.*>$|^components\["schemas"\]\["[^"]*"\]$/.test(text)
    ? { root, text }
    : { root, text: `NonNullable<${text}>` };
