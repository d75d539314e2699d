/** The REST value that an output type is compared with. */
import { declaredNames, declaredProperty, type Shape } from "../../openapi/shapes/shape.ts";
import { directivePlace } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import type { FieldInProgress } from "../field-in-progress.ts";
import { propertyType } from "./type-expression.ts";

export type ResponseValue = {
  readonly shape: Shape;
  /** Whether REST may leave the value out. */
  readonly optional: boolean;
  /** Its TypeScript type (`type-expression.ts`). */
  readonly typeExpression: string;
  /** The status of the response, if the operation documents responses of several statuses. */
  readonly status?: string;
};

/** The words that a message adds for the status. */
export const withStatus = ({ status }: Pick<ResponseValue, "status">): string =>
  status === undefined ? "" : ` with status ${status}`;

/** Follows a path of properties. `argument` is the one of `@rest` that has the path. Returns `undefined` after a finding. */
export function followPath(
  binder: Binder,
  { definition, operation, where }: FieldInProgress,
  from: ResponseValue,
  path: string,
  argument: "result" | "connection",
): ResponseValue | undefined {
  let value = from;
  for (const step of path.split(".")) {
    const next = declaredProperty(value.shape, step);
    if (!next) {
      const at = { ...where, schema: directivePlace(definition, "rest", argument), rest: value.shape.node };
      binder.findings.add(
        "result-missing",
        at,
        `the answer of ${operation.id}${withStatus(value)} has no property "${step}"${binder.findings.didYouMean(step, () => declaredNames(value.shape))}`,
        "name where the value stands in the body",
      );
      return undefined;
    }
    const optional = value.optional || !next.required || value.shape.nullable;
    const typeExpression = binder.typeExpressionOf(next.shape, propertyType(value.typeExpression, step));
    value = { ...value, shape: next.shape, optional, typeExpression };
  }
  return value;
}
