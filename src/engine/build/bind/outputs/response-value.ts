/** A REST value with which a field's type is compared. */
import type { Property, Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import { atRestDirective, type FieldContext } from "../field-context.ts";
import { resolveResponsePath } from "../resolve-response-path.ts";
import { propertyType } from "./type-expression.ts";

export type ResponseValue = {
  readonly shape: Shape;
  readonly optional: boolean;
  /** TypeScript type of the value in generated code. */
  readonly typeExpression: string;
  /** Status of the response, if the operation documents several. */
  readonly status?: string;
  /** Number of lists in which the value is nested. */
  readonly level?: number;
};

export const statusSuffix = ({ status }: Pick<ResponseValue, "status">): string =>
  status === undefined ? "" : ` with status ${status}`;

export const propertyValue = (
  binder: Binder,
  value: ResponseValue,
  { name, shape, required }: Property,
): ResponseValue => ({
  ...value,
  shape,
  optional: value.optional || !required || value.shape.nullable,
  typeExpression: binder.typeExpressionOf(shape, propertyType(value.typeExpression, name)),
});

/** Returns `undefined` after reporting a missing property. `argument`: the argument of `@rest` that contains the path. */
export function followPath(
  field: FieldContext,
  from: ResponseValue,
  path: string,
  argument: "result" | "connection",
): ResponseValue | undefined {
  const found = resolveResponsePath(
    field.binder.findings,
    atRestDirective(field, argument),
    {
      object: from.shape,
      owner: `the response of ${field.operation.id}${statusSuffix(from)}`,
      path: path.split("."),
    },
    { rule: "result-missing", hint: "name the path of the value in the body" },
  );
  return found?.reduce((value, property) => propertyValue(field.binder, value, property), from);
}
