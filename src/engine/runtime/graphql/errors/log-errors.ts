/**
 * Logs the errors that are masked for clients, with the request id that clients can quote. If a field fails in many requests,
 * only the first lines of each minute are written, followed by one line with the number of omitted lines.
 */
import type { GraphQLError } from "graphql";
import { CodedError } from "../../coded-error.ts";
import type { RequestContext } from "../request-context.ts";
import { invalidArgumentError, isContractViolation } from "./mask-errors.ts";

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

/** Names the kind of failure without any text from a client or REST. */
function kindOf({ originalError: original, message, path }: LoggedError): object {
  if (original instanceof CodedError) return { operation: original.details.operation, code: original.code };
  if (path === undefined) return { reason: "the request is refused" };
  if (original && !isContractViolation(original)) return { reason: original.name };
  return { reason: withoutValues(message).replace(/"[^"]*"/g, '""') };
}

/** Removes the text after a colon, where graphql-js quotes the refused value: it can be a tenant's data. */
const withoutValues = (message: string): string => message.slice(0, 500).replace(/: .*/s, "");

/** Returns the details for the log: why REST's value is invalid, or the stack of a fault in this service. */
function reason({ originalError: original, message }: LoggedError): object {
  if (original && !isContractViolation(original)) return { err: original };
  return { reason: withoutValues(message).replace(/"[^"]{64,}"/g, '"…"') };
}
