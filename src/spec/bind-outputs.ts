/** A field's output type held against the REST value it shows: presence, list depth, type, nullability, enum coverage. */
import {
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isAbstractType as isUnionOrInterface,
} from "graphql";
import { bindAbstract } from "./bind-abstract.ts";
import { checkExact, describe, exceedsInt, scalarCovers, uncovered } from "./bind-types.ts";
import type { Binding } from "./binding.ts";
import type { Value } from "./bound.ts";
import type { Where } from "./findings.ts";
import { type Shape, unresolved } from "./shape.ts";

export function matchOutput(binding: Binding, where: Where, type: GraphQLOutputType, value: Value): void {
  const { findings } = binding;
  const at = { ...where, rest: value.shape.node };
  binding.rely(where.coordinate, value.shape.node);
  if (isNonNullType(type)) {
    if (value.optional || value.shape.nullable) {
      const why = value.optional ? "REST may leave it out" : "REST may send null";
      findings.add(
        "output-nullable",
        { ...where, rest: where.rest ?? value.shape.node },
        `${where.coordinate} is ${type}, but ${why}`,
        "drop the `!`, or make the REST value required and not nullable",
      );
    }
    return matchOutput(binding, where, type.ofType, value);
  }
  const isArray = value.shape.types.has("array");
  if (isListType(type)) {
    if (!isArray || value.shape.types.size > 1 || !value.shape.items)
      return mismatch(binding, at, "output-list", `is ${type}`, value.shape);
    const items = value.shape.items;
    const expression = binding.expressionOf(items, `NonNullable<${value.expression}>[number]`);
    return matchOutput(binding, { ...where, rest: items.node }, type.ofType, {
      shape: items,
      optional: false,
      expression,
    });
  }
  if (isArray && !(isScalarType(type) && scalarCovers(type, value.shape)))
    return mismatch(binding, at, "output-list", `is ${type}`, value.shape);
  return matchNamed(binding, where, type, value);
}

function matchNamed(binding: Binding, where: Where, type: GraphQLOutputType, value: Value): void {
  const { findings, schema } = binding;
  const at = { ...where, rest: value.shape.node };
  if (isScalarType(type)) {
    if (!scalarCovers(type, value.shape))
      return mismatch(binding, at, "output-type", `is ${type}`, value.shape);
    if (type.name === "Int" && exceedsInt(value.shape)) {
      findings.add(
        "output-int64",
        at,
        `${where.coordinate} is Int, but REST sends ${describe(value.shape)}, which does not fit 32 bits`,
        "use Float, or String if REST can send one",
      );
    }
    if (type.name === "ID") checkExact(binding, at, where.coordinate, value.shape);
  } else if (isEnumType(type)) {
    if (!value.shape.values) return mismatch(binding, at, "output-type", `is the enum ${type}`, value.shape);
    const missing = uncovered(schema, type, value.shape);
    if (missing.length > 0) {
      findings.add(
        "output-enum",
        { ...at, below: ["enum"] },
        `${type} has no value for ${missing.map((name) => `"${name}"`).join(", ")}, which REST may send at ${where.coordinate}`,
        `add it to enum ${type}, with @restName where the names differ`,
      );
    }
  } else if (isObjectType(type)) {
    if (!isObject(value.shape))
      return mismatch(binding, at, "output-type", `is the object ${type}`, value.shape);
    binding.back(type.name, value.shape, value.expression);
  } else if (isUnionOrInterface(type)) {
    bindAbstract(binding, at, type, value);
  }
}

const isObject = (shape: Shape): boolean => shape.types.size === 1 && shape.types.has("object");

function mismatch(
  binding: Binding,
  where: Where,
  rule: "output-type" | "output-list",
  what: string,
  shape: Shape,
): void {
  if (shape.node.value === unresolved) return;
  binding.findings.add(
    rule,
    where,
    `${where.coordinate} ${what}, but REST sends ${describe(shape)}`,
    "give the field the type that REST sends",
  );
}
