/**
 * Identifies the client application by its headers. These headers are not authenticated, so only logs and metrics use the name.
 */
import type { IncomingHttpHeaders } from "node:http";

/** Maximum number of characters of a name or a version. */
const maxLength = 100;

export function clientNameOf(headers: IncomingHttpHeaders): { name: string; version: string } | undefined {
  const name = headers["apollographql-client-name"] ?? headers["graphql-client-name"];
  if (typeof name !== "string" || name === "") return undefined;
  const version = headers["apollographql-client-version"] ?? headers["graphql-client-version"];
  return {
    name: name.slice(0, maxLength),
    version: typeof version === "string" ? version.slice(0, maxLength) : "",
  };
}
