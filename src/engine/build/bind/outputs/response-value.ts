/** The REST value that an output type is compared with. */
import type { Property, Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import { atRestDirective, type FieldContext } from "../field-context.ts";
import { resolveResponsePath } from "../resolve-response-path.ts";
import { propertyType } from "./type-expression.ts";

export type ResponseValue = {
  readonly shape: Shape;
  /** Whether REST may omit the value. */
  readonly optional: boolean;
  /** The value's TypeScript type (`type-expression.ts`). */
  readonly typeExpression: string;
  /** The status of the response, if the operation documents responses of several statuses. */
  readonly status?: string;
  /** For an item, the number of lists of the field around it. */
  readonly level?: number;
};

/** The suffix of messages, if the operation documents several statuses. */
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

/**
 * Follows a path of properties. `argument`: the argument of `@rest` that contains the path. Returns `undefined` if the path is
 * reported as a finding.
 */
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
