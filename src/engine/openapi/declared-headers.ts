/** The request headers that a document declares: header parameters, and the headers of its security schemes. */
import { membersOf } from "../standards/json-object.ts";
import { entriesOf, keysOf, type RestDocument, type RestNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";
import { headerName, headerOf, securitySchemeOf } from "./security.ts";

/** The names in lower case, each once, sorted. Operations without a field count too: clients may call their paths. */
export function declaredHeaders(document: RestDocument, operations: Iterable<RestOperation>): string[] {
  const owners = new Set([...operations].flatMap(({ item, node }) => [item, node]));
  const parameters = [...owners].flatMap((owner) => entriesOf(document, document.child(owner, "parameters")));
  const schemes = document.child(document.child(document.root, "components"), "securitySchemes");
  const named = keysOf(schemes).map((name) => securitySchemeOf(document, name));
  const headers = [...[...parameters, ...named].map(headerTaking), ...named.map(headerOf)];
  return [...new Set(headers.filter((header) => header !== undefined))].sort();
}

/** The header of a parameter or of a scheme. All cookies share one header. */
function headerTaking(node: RestNode | undefined): string | undefined {
  const { in: location, name } = membersOf(node?.value);
  if (location === "cookie") return "cookie";
  return location === "header" ? headerName(name) : undefined;
}
