/** Values that the schema itself sends, constants and defaults: they must fit by themselves, nobody can mend them at run time. */
import type { Target } from "./bind-targets.ts";
import { describe } from "./bind-types.ts";
import type { Binding } from "./binding.ts";
import type { Where } from "./findings.ts";
import { regexOf } from "./limits.ts";
import type { Shape } from "./shape.ts";

export function checkConstant(binding: Binding, where: Where, target: Target, value: unknown): void {
  const why = valueProblem(target.shape, value);
  if (why === undefined) return;
  const message = `constant ${JSON.stringify(value)} for ${target.in} "${target.name}" ${why}`;
  binding.findings.add("constant-invalid", where, message, "write a value that REST takes");
}

/** `value` is as the schema writes it: an enum's default is a GraphQL name, and is checked with the enum. */
export function checkDefault(binding: Binding, where: Where, target: Target, value: unknown): void {
  const why = value === null ? undefined : valueProblem(target.shape, value);
  if (why === undefined) return;
  const message = `the default ${JSON.stringify(value)} of ${where.coordinate} ${why}`;
  binding.findings.add("constant-invalid", where, message, "write a default that REST takes");
}

/** Why REST refuses `value` here; `undefined` if it does not. */
function valueProblem(shape: Shape, value: unknown): string | undefined {
  if (!isTyped(shape, value)) return `is not ${describe(shape)}`;
  if (shape.values && !shape.values.includes(value)) return "is not one of its values";
  if (typeof value === "number") return numberProblem(shape, value);
  if (typeof value === "string") return textProblem(shape, value);
  if (!Array.isArray(value)) return undefined;
  const { minItems, maxItems } = shape.limits;
  if (typeof maxItems === "number" && value.length > maxItems) return `has more than ${maxItems} items`;
  if (typeof minItems === "number" && value.length < minItems) return `has fewer than ${minItems} items`;
  const { items } = shape;
  return items && value.map((item) => valueProblem(items, item)).find((problem) => problem !== undefined);
}

function isTyped({ types, nullable }: Shape, value: unknown): boolean {
  if (types.size === 0) return true;
  if (value === null) return nullable;
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as "string");
}

function numberProblem({ limits }: Shape, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  if (typeof minimum === "number" && value < minimum) return `is below the minimum ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `is over the maximum ${maximum}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `is not above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return `is not below ${exclusiveMaximum}`;
  if (typeof multipleOf === "number" && Number.isInteger(multipleOf) && value % multipleOf !== 0)
    return `is no multiple of ${multipleOf}`;
  return undefined;
}

function textProblem({ limits }: Shape, value: string): string | undefined {
  const { minLength, maxLength, pattern } = limits;
  const length = [...value].length;
  if (typeof maxLength === "number" && length > maxLength) return `is longer than ${maxLength} characters`;
  if (typeof minLength === "number" && length < minLength) return `is shorter than ${minLength} characters`;
  return typeof pattern === "string" && regexOf(pattern)?.test(value) === false
    ? `does not match ${pattern}`
    : undefined;
}
