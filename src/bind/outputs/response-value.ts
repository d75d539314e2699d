/** The REST value that an output type is compared with. */
import type { Shape } from "../../openapi/shape.ts";
import type { TypeExpression } from "./type-expression.ts";

export type ResponseValue = {
  readonly shape: Shape;
  /** Whether REST may leave the value out. */
  readonly optional: boolean;
  readonly typeExpression: TypeExpression;
  /** The status of the answer that is the value, if the operation documents answers of several. */
  readonly status?: string;
};

/** Follows the words for an answer in a message. */
export const withStatus = ({ status }: Pick<ResponseValue, "status">): string =>
  status === undefined ? "" : ` with status ${status}`;
