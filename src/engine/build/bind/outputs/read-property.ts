/** Finds the REST property of a field without `@rest`. A dot in its REST name leads to a nested object: `profile.name`. */
import { getNamedType, isObjectType } from "graphql";
import { declaredProperty, type Shape, withNullable } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import type { Backing, PlainField } from "../model.ts";
import { resolveResponsePath } from "../resolve-response-path.ts";
import { propertyValue, type ResponseValue, statusSuffix } from "./response-value.ts";

/** Splits a REST name at its dots, unless the object has a property with exactly this name. */
export const propertyPathOf = (shape: Shape, name: string): readonly string[] =>
  declaredProperty(shape, name) ? [name] : name.split(".");

/** Returns `undefined` after reporting a missing property. */
export function readProperty(
  binder: Binder,
  where: FindingTarget,
  { definition, path }: PlainField,
  { shape, typeExpression, ...parent }: Backing,
): { value: ResponseValue; at: FindingTarget } | undefined {
  const owner = `the REST object of ${parent.from}${statusSuffix(parent)}`;
  const found = resolveResponsePath(
    binder.findings,
    where,
    { object: shape, owner, path },
    { rule: "property-missing", hint: adviceWithout(definition) },
  );
  if (!found) return undefined;
  // fields of a null parent are never read
  const object: ResponseValue = {
    ...(path.length === 0 && parent),
    shape: withNullable(shape, false),
    typeExpression,
    optional: false,
  };
  const value = found.reduce((from, property) => propertyValue(binder, from, property), object);
  return { value, at: { ...where, rest: found.at(-1)?.node ?? where.rest } };
}

const adviceWithout = ({ name, type }: PlainField["definition"]): string =>
  ["edges", "nodes", "pageInfo"].includes(name)
    ? `write \`connection: { items: "…", next: "…" }\` in the @rest of the field that returns the page, or name the property with @restName`
    : `name the property with @restName, ${isObjectType(getNamedType(type)) ? "bind a link with @rest, " : ""}or remove the field`;
