/** The REST value that an output type is compared with. */
import type { Shape } from "../../openapi/shape.ts";
import type { TypeExpression } from "./type-expression.ts";

export type ResponseValue = {
  readonly shape: Shape;
  /** Whether REST may leave the value out. */
  readonly optional: boolean;
  readonly typeExpression: TypeExpression;
};
