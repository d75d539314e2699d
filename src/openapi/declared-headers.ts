/** The request headers that a document declares: header parameters, and the headers of its security schemes. */
import { membersOf } from "../standards/json-object.ts";
import { entriesOf, keysOf, type RestDocument, type RestNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";
import { headerOf, securitySchemeOf } from "./security.ts";

/** The names in lower case, each once, sorted. Operations without a field count too: clients may call their paths. */
export function declaredHeaders(document: RestDocument, operations: Iterable<RestOperation>): string[] {
  const owners = new Set([...operations].flatMap(({ item, node }) => [item, node]));
  const parameters = [...owners].flatMap((owner) => entriesOf(document, document.child(owner, "parameters")));
  const schemes = document.child(document.child(document.root, "components"), "securitySchemes");
  const named = keysOf(schemes).map((name) => securitySchemeOf(document, name));
  const credentials = named.flatMap((scheme) => headerOf(scheme) ?? []);
  return [...new Set([...[...parameters, ...named].flatMap(headerTaking), ...credentials])].sort();
}

/** The header of a parameter or of a scheme. All cookies share one header. */
function headerTaking(node: RestNode | undefined): string[] {
  const { in: location, name } = membersOf(node?.value);
  if (location === "cookie") return ["cookie"];
  return location === "header" && typeof name === "string" && isToken(name) ? [name.toLowerCase()] : [];
}

/** Whether a header may have this name (RFC 9110 §5.1). */
const isToken = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name);
