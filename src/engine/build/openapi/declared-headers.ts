/** The request headers that the documents declare: header parameters, and headers of security schemes. */
import { membersOf } from "../../shared/json-object.ts";
import { entriesOf, keysOf, type RestDocument, type RestNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";
import { headerName, headerOf, securitySchemeOf, securitySchemesOf } from "./security.ts";

/**
 * Returns the headers sorted and in lower case. Includes headers of operations without a GraphQL field: clients can call these
 * through the gateway.
 */
export function declaredHeaders(document: RestDocument, operations: Iterable<RestOperation>): string[] {
  const owners = new Set([...operations].flatMap(({ item, node }) => [item, node]));
  const parameters = [...owners].flatMap((owner) => entriesOf(document, document.child(owner, "parameters")));
  const named = document.roots.flatMap((root) =>
    keysOf(securitySchemesOf(document, root)).map((name) => securitySchemeOf(document, root, name)),
  );
  const headers = [...[...parameters, ...named].map(requestHeaderOf), ...named.map(headerOf)];
  return [...new Set(headers.filter((header) => header !== undefined))].sort();
}

/** Returns the header that carries a parameter or a credential, such as `cookie` for a cookie. */
function requestHeaderOf(node: RestNode | undefined): string | undefined {
  const { in: location, name } = membersOf(node?.value);
  if (location === "cookie") return "cookie";
  return location === "header" ? headerName(name) : undefined;
}
