/** Paths of properties into a shape. */
import { declaredProperty, type Property, type Shape, textFits } from "./shape.ts";

/** The properties along the path, as far as they exist. `inLists`: lists are traversed to their items. */
export function propertiesOnPath(shape: Shape, path: readonly string[], inLists = false): Property[] {
  const found: Property[] = [];
  let at = shape;
  for (const step of path) {
    const property = declaredProperty((inLists && at.items) || at, step);
    if (!property) break;
    found.push(property);
    at = property.shape;
  }
  return found;
}

/** Whether every value has a non-null property at the path that a parameter of shape `taken` accepts as text. */
export function alwaysFits(from: Shape, path: readonly string[], taken: Shape): boolean {
  const found = propertiesOnPath(from, path);
  return (
    found.length === path.length &&
    found.every(({ required, shape, only }) => required && !shape.nullable && only === undefined) &&
    textFits(found.at(-1)?.shape ?? from, taken)
  );
}
