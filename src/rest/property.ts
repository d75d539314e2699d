/** Resolvers of plain fields, which read their parent's REST object. A plan inlines them by their `property` or `itself`. */

/** Reads one REST property. */
export const property = <const Name extends string>(name: Name) =>
  Object.assign(
    <Parent extends { readonly [key in Name]?: unknown }>(parent: Parent): Parent[Name] => parent[name],
    {
      property: name,
    },
  );

/** Reads the parent's own object (`@restName(self: true)`). */
export const itself = Object.assign(<Parent>(parent: Parent): Parent => parent, { itself: true as const });
