/** Logs masked errors with the request's id. Clients get the same id and can quote it. */
import type { GraphQLError } from "graphql";
import { CodedError } from "../../errors.ts";
import type { RequestContext } from "../request-context.ts";
import { contractBroken, wrongArgument } from "./mask.ts";

/** An error of graphql-js or of a plan. */
type LoggedError = Pick<GraphQLError, "message" | "path" | "originalError">;

export function logErrors(context: RequestContext, errors: readonly LoggedError[]): void {
  for (const error of errors) {
    const { originalError: original, path } = error;
    if (original instanceof CodedError ? original.status < 500 : wrongArgument(error)) continue;
    const level = original instanceof CodedError || error.path === undefined ? "info" : "error";
    context.log[level](
      { ...reason(error), path: path?.join("."), requestId: context.requestId },
      "field failed",
    );
  }
}

/**
 * A value of REST that breaks the document has a reason, and a fault of ours its stack. Removes values from a message:
 * graphql-js quotes a refused value after a colon, and that value is
 * tenant data.
 */
function reason({ originalError: original, message }: LoggedError): object {
  if (original && !contractBroken(original)) return { err: original };
  return {
    reason: message
      .slice(0, 500)
      .replace(/: .*/s, "")
      .replace(/"[^"]{64,}"/g, '"…"'),
  };
}
