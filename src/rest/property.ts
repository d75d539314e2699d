/** Resolvers of plain fields, which read their parent's REST object. A plan inlines them by their `property` or `itself`. */
import type { ValueAt } from "./types.ts";
import { valueAt } from "./value-at.ts";

/** Whether every object inherits the name, such as `valueOf`. Then only the object's own properties are read. */
export const isInherited = (name: string): boolean => name in Object.prototype;

/** Reads one REST property. */
export const property = <const Name extends string>(name: Name) => {
  const onlyOwn = isInherited(name);
  return Object.assign(
    <Parent extends { readonly [key in Name]?: unknown }>(parent: Parent): Parent[Name] =>
      onlyOwn && !Object.hasOwn(parent, name) ? (undefined as Parent[Name]) : parent[name],
    { property: name },
  );
};

/** Reads a REST property of a nested object; null where a step is null. */
export const propertyAt = <const Names extends readonly string[]>(...names: Names) =>
  Object.assign(<Parent>(parent: Parent) => valueAt(parent, names) as ValueAt<Parent, Names>, {
    property: names,
  });

/** Reads the parent's own object (`@restName(self: true)`). */
export const itself = Object.assign(<Parent>(parent: Parent): Parent => parent, { itself: true as const });
