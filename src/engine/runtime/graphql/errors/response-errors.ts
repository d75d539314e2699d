/** Groups and logs the errors of a response, and returns the masked errors for the client. */
import type { GraphQLFormattedError } from "graphql";
import type { RequestContext } from "../request-context.ts";
import type { FieldError } from "./field-error.ts";
import { groupErrors, withNullCount } from "./group-errors.ts";
import { logErrors } from "./log-errors.ts";
import { maskFieldError } from "./mask-errors.ts";

export function logAndMask(context: RequestContext, errors: readonly FieldError[]): GraphQLFormattedError[] {
  const groups = groupErrors(errors);
  logErrors(
    context,
    groups.map(([first]) => first),
  );
  return groups.map((group) => withNullCount(maskFieldError(group[0]), group));
}
