/**
 * What Apollo leaves open of GraphQL over HTTP's status codes (§6.4.1): a client that asks for `application/json` by name
 * takes any other status for an answer that is not GraphQL, so a document that fails is a 200 to it.
 */
import type { GraphQLRequestContextWillSendResponse } from "@apollo/server";
import type { RequestContext } from "./request-context.ts";

const ofTheDocument = new Set([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
  "LIMIT_EXCEEDED",
  "OPERATION_RESOLUTION_FAILURE",
]);

type Answer = GraphQLRequestContextWillSendResponse<RequestContext>;

export function setStatus({ contextValue, response: { http, body } }: Answer): void {
  if (body.kind !== "single") return;
  // a request that failed is no 200 (§6.4.2), as Apollo's answer to a persisted query is
  if (!contextValue.asksForJson && http.status === 200 && body.singleResult.data === undefined)
    http.status = 400;
  if (!contextValue.asksForJson || http.status !== 400) return;
  const [error] = body.singleResult.errors ?? [];
  if (ofTheDocument.has(String(error?.extensions?.code))) http.status = 200;
}

/** Whether `application/json` is what an `Accept` header asks for first, and by name. */
export const asksForJson = (accept: string | undefined): boolean =>
  accept !== undefined && /^\s*application\/json\b/i.test(accept);
