/** Reads the property of a plain field from its parent's REST object. Dots denote nesting. */
import { declaredProperty, type Shape, withNullable } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import type { Backing } from "../model.ts";
import { resolveResponsePath } from "../resolve-response-path.ts";
import { propertyValue, type ResponseValue, statusSuffix } from "./response-value.ts";

/** The steps of a REST name. A property whose name contains dots is a single step. */
export const propertyPathOf = (shape: Shape, name: string): readonly string[] =>
  declaredProperty(shape, name) ? [name] : name.split(".");

/** The value, and the location of its property. Returns `undefined` after a finding. */
export function readProperty(
  binder: Binder,
  where: FindingTarget,
  { shape, typeExpression, ...parent }: Backing,
  steps: readonly string[],
  hint: string,
): { value: ResponseValue; at: FindingTarget } | undefined {
  const found = resolveResponsePath(binder.findings, where, shape, steps, {
    rule: "property-missing",
    owner: `the REST object of ${parent.from}${statusSuffix(parent)}`,
    hint,
  });
  if (!found) return undefined;
  // fields are only read from objects that are not null
  const object: ResponseValue = {
    ...(steps.length === 0 && parent),
    shape: withNullable(shape, false),
    typeExpression,
    optional: false,
  };
  const value = found.reduce((from, property) => propertyValue(binder, from, property), object);
  return { value, at: { ...where, rest: found.at(-1)?.node ?? where.rest } };
}
