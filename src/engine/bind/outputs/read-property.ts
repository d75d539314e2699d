/** Reads the property of a plain field from its parent's REST object. Dots go deeper. */
import { declaredNames, declaredProperty, isOnly, type Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { Where } from "../findings.ts";
import type { Backing } from "../model.ts";
import { describeShape } from "../type-rules.ts";
import { type ResponseValue, withStatus } from "./response-value.ts";
import { propertyType } from "./type-expression.ts";

/** The steps of a REST name. A property whose own name has dots is one step. */
export const stepsOf = (shape: Shape, name: string): readonly string[] =>
  declaredProperty(shape, name) ? [name] : name.split(".");

/** The value, with the place of the property that holds it. Returns `undefined` after a finding. */
export function readProperty(
  binder: Binder,
  where: Where,
  parent: Backing,
  steps: readonly string[],
): { value: ResponseValue; at: Where } | undefined {
  let value: ResponseValue = { ...parent, optional: false };
  let at = where;
  for (const [index, step] of steps.entries()) {
    const owner =
      index === 0
        ? `the REST object of ${parent.from}${withStatus(parent)}`
        : `"${steps.slice(0, index).join(".")}"`;
    if (!isOnly(value.shape, "object")) {
      binder.findings.add(
        "output-type",
        at,
        `${where.coordinate} reads "${step}" of ${owner}, but REST sends ${describeShape(value.shape)}`,
        "read deeper only through objects",
      );
      return undefined;
    }
    const property = declaredProperty(value.shape, step);
    if (!property) {
      addMissing(binder, { ...where, rest: value.shape.node }, owner, value.shape, step);
      return undefined;
    }
    if (property.only === "request") {
      binder.findings.add(
        "property-missing",
        { ...where, rest: property.node },
        `REST never sends the property "${step}": it is writeOnly`,
        "remove the field",
      );
      return undefined;
    }
    at = { ...where, rest: property.node };
    value = {
      shape: property.shape,
      optional: value.optional || !property.required || (index > 0 && value.shape.nullable),
      typeExpression: binder.typeExpressionOf(property.shape, propertyType(value.typeExpression, step)),
    };
  }
  return { value, at };
}

/** An object type over a `oneOf` has only the properties that all members share. */
function addMissing(binder: Binder, where: Where, owner: string, shape: Shape, name: string): void {
  const { members = [] } = shape;
  const having = members.filter((member) => declaredProperty(member, name));
  if (having.length === 0)
    return binder.findings.add(
      "property-missing",
      { ...where, below: ["properties", name] }, // an overlay may have removed it
      `${owner} has no property "${name}"${binder.findings.didYouMean(name, () => declaredNames(shape))}`,
      "name the property with @restName, or remove the field",
    );
  binder.findings.add(
    "property-missing",
    where,
    `${owner} is one of ${members.length} schemas, and only ${having.length} of them ${having.length === 1 ? "has" : "have"} the property "${name}"`,
    "read what all of them have, or write a union with a type for each",
  );
}
