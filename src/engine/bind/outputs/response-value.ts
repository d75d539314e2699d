/** The REST value that an output type is compared with. */
import type { Shape } from "../../openapi/shapes/shape.ts";

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
