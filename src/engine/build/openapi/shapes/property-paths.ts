/** Follows paths of properties in a shape. */
import { declaredProperty, type Property, type Shape, textFits } from "./shape.ts";

/** Returns the properties on the path, up to the first undeclared one. With `inLists`, the path leads through items of lists. */
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

/** Whether every value of `from` has a non-null property at the path, which a parameter of shape `taken` accepts as text. */
export const alwaysFits = (from: Shape, path: readonly string[], taken: Shape): boolean =>
  fitsIfPresent(from, path, taken) &&
  propertiesOnPath(from, path).every(({ required, shape }) => required && !shape.nullable);

/** Like `alwaysFits`, but the property may be optional or nullable. */
export function fitsIfPresent(from: Shape, path: readonly string[], taken: Shape): boolean {
  const found = propertiesOnPath(from, path);
  return (
    found.length === path.length &&
    found.every(({ only }) => only !== "request") &&
    textFits(found.at(-1)?.shape ?? from, taken)
  );
}
