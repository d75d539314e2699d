/** The names of the properties that REST requires of a request and nothing feeds. */
import type { Shape } from "../../openapi/shapes/shape.ts";

export const unfedProperties = ({ properties }: Shape, fed: ReadonlySet<string>): string[] =>
  [...properties.values()].flatMap(({ name, required, only }) =>
    required && only !== "response" && !fed.has(name) ? [name] : [],
  );
