/** Failures that clients see masked are logged here with the request's id, and the id is what clients get to quote. */
import type { GraphQLRequestContextWillSendResponse } from "@apollo/server";
import { GraphQLError } from "graphql";
import { CodedError } from "../errors.ts";
import { wrongArgument } from "./mask.ts";
import type { RequestContext } from "./request-context.ts";

type Answer = GraphQLRequestContextWillSendResponse<RequestContext>;

/** What is told of an error, graphql-js's or a plan's. */
type Reported = Pick<GraphQLError, "message" | "path" | "originalError">;

export function report(context: RequestContext, errors: readonly Reported[]): void {
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

/** graphql-js quotes the value that it cannot take after a colon, and that value is tenant data. */
function reason({ originalError: original, message }: Reported): object {
  if (original && !(original instanceof GraphQLError)) return { err: original };
  return {
    reason: message
      .slice(0, 500)
      .replace(/: .*/s, "")
      .replace(/"[^"]{64,}"/g, '"…"'),
  };
}

/** Gives a client the request's id with each failure that is masked. */
export function quoteRequestId({ contextValue, response }: Answer): void {
  if (response.body.kind !== "single") return;
  for (const error of response.body.singleResult.errors ?? []) {
    if (error.extensions?.code === "INTERNAL_SERVER_ERROR")
      error.extensions.requestId = contextValue.requestId;
  }
}
