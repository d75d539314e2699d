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
  /** Its TypeScript type (`type-expression.ts`). */
  readonly typeExpression: string;
  /** The status of the response, if the operation documents responses of several statuses. */
  readonly status?: string;
  /** For an item, the number of the field's lists that enclose it. */
  readonly level?: number;
};

/** The suffix for messages about a response of a particular status. */
export const statusSuffix = ({ status }: Pick<ResponseValue, "status">): string =>
  status === undefined ? "" : ` with status ${status}`;

/** The value of a property. */
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

/** Follows a path of properties. `argument`: the argument of `@rest` with the path. Returns `undefined` after a finding. */
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
