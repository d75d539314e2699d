/**
 * Logs masked errors with the request's id. Clients get the same id and can quote it. For a field that fails for
 * everybody, only the first lines of a minute are written, and then their number.
 */
import type { GraphQLError } from "graphql";
import { CodedError } from "../../coded-error.ts";
import type { RequestContext } from "../request-context.ts";
import { invalidArgumentError, isContractViolation } from "./mask-errors.ts";

/** An error of graphql-js or of a plan. */
type LoggedError = Pick<GraphQLError, "message" | "path" | "originalError">;

export function logErrors({ log: lines, requestId }: RequestContext, errors: readonly LoggedError[]): void {
  for (const error of errors) {
    const { originalError: original, path } = error;
    if (original instanceof CodedError ? original.status < 500 : invalidArgumentError(error)) continue;
    const level = original instanceof CodedError || path === undefined ? "info" : "error";
    if (level === "info" && !lines.writesInfo) continue;
    const kind = kindOf(error);
    if (!lines.mayWrite(`field ${Object.values(kind)}`, kind)) continue;
    lines.log[level]({ ...reason(error), path: path?.join("."), requestId }, "field failed");
  }
}

/** Names the failure, in words that neither a client nor REST chooses. */
function kindOf({ originalError: original, message, path }: LoggedError): object {
  if (original instanceof CodedError) return { operation: original.details.operation, code: original.code };
  if (path === undefined) return { reason: "the request is refused" };
  if (original && !isContractViolation(original)) return { reason: original.name };
  return { reason: withoutValues(message).replace(/"[^"]*"/g, '""') };
}

/** graphql-js quotes a refused value after a colon, and that value is tenant data. */
const withoutValues = (message: string): string => message.slice(0, 500).replace(/: .*/s, "");

/** The details of a log line: the reason for a REST value that breaks the document, or the stack of a fault of ours. */
function reason({ originalError: original, message }: LoggedError): object {
  if (original && !isContractViolation(original)) return { err: original };
  return { reason: withoutValues(message).replace(/"[^"]{64,}"/g, '"…"') };
}
