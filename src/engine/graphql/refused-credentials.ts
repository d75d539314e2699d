/**
 * Detects credentials that REST refuses for every root field. A layer without key introspection learns of a refused
 * credential from REST alone. It then sends one 401, as a gateway in front of it would.
 */
import type { GraphQLResponse } from "@apollo/server";
import { unauthenticated } from "../http/credentials.ts";

/**
 * Throws UNAUTHENTICATED if the responses hold no value, and each of their errors is UNAUTHENTICATED. `hasCredentials`:
 * whether the request came with credentials. `headers` names the headers that carry them.
 */
export function throwForRefusedCredentials(
  responses: readonly GraphQLResponse[],
  hasCredentials: boolean,
  headers: readonly string[],
): void {
  if (responses.every(isRefused)) throw unauthenticated(hasCredentials ? "refused_key" : "no_key", headers);
}

function isRefused({ body }: GraphQLResponse): boolean {
  if (body.kind !== "single") return false;
  const { data, errors = [] } = body.singleResult;
  return (
    errors.length > 0 &&
    errors.every(({ extensions }) => extensions?.code === "UNAUTHENTICATED") &&
    Object.values(data ?? {}).every((value) => value === null)
  );
}
