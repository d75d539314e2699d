/** Values that the schema itself sends, constants and defaults: they must fit by themselves, nobody can mend them at run time. */
import type { Target } from "./bind-targets.ts";
import { describe } from "./bind-types.ts";
import type { Binding } from "./binding.ts";
import type { Where } from "./findings.ts";
import { ajv, limitSchema } from "./json-schema.ts";
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
  const validate = ajv.compile(limitSchema(shape));
  if (!validate(value)) return validate.errors?.[0]?.message ?? "is refused";
  const { items } = shape;
  if (!Array.isArray(value) || !items) return undefined;
  return value.map((item) => valueProblem(items, item)).find((problem) => problem !== undefined);
}

function isTyped({ types, nullable }: Shape, value: unknown): boolean {
  if (types.size === 0) return true;
  if (value === null) return nullable;
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as "string");
}
