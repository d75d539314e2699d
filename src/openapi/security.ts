/** The security requirements of an operation (OpenAPI 3.1 §4.8.30) and the security schemes (§4.8.27). */

import { isRecord, type RestDocument, type RestNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";

type SecurityRequirements = {
  /** The node whose `security` applies: the operation or the document. */
  readonly owner: RestNode;
  /** A request meets one of these. Keys are scheme names; an empty object allows anonymous calls. */
  readonly alternatives: readonly Readonly<Record<string, unknown>>[];
};

/** An operation's own list replaces the document's. An empty list allows anonymous calls. */
export function securityRequirementsOf(
  document: RestDocument,
  { node }: RestOperation,
): SecurityRequirements {
  const ownList = listOf(node);
  const alternatives = (ownList ?? listOf(document.root) ?? []).filter(isRecord);
  return {
    owner: ownList ? node : document.root,
    alternatives: alternatives.length > 0 ? alternatives : [{}],
  };
}

const listOf = ({ value }: RestNode): unknown[] | undefined =>
  isRecord(value) && Array.isArray(value.security) ? value.security : undefined;

/**
 * The request headers that carry the operation's credentials, in lower case: a list for each alternative. Schemes other
 * than `apiKey` and `mutualTLS` use `Authorization` (§4.8.27).
 */
export function credentialHeadersOf(document: RestDocument, operation: RestOperation): string[][] {
  const { alternatives } = securityRequirementsOf(document, operation);
  const lists = alternatives.map((alternative) => {
    const headers = Object.keys(alternative).map((name) => headerOf(securitySchemeOf(document, name)));
    return [...new Set(headers.filter((header) => header !== undefined))].sort();
  });
  return [...new Map(lists.map((list) => [list.join(), list])).values()].filter(({ length }) => length > 0);
}

/** The header of a security scheme, in lower case; `undefined` if it uses none. */
export function headerOf(scheme: RestNode | undefined): string | undefined {
  const { type, in: location, name } = isRecord(scheme?.value) ? scheme.value : {};
  if (type === "apiKey")
    return location === "header" && typeof name === "string" ? name.toLowerCase() : undefined;
  return ["http", "oauth2", "openIdConnect"].includes(String(type)) ? "authorization" : undefined;
}

/** Whether the document says anywhere which credentials its operations take; `security: []` says that they take none. */
export const declaresSecurity = (document: RestDocument, operations: Iterable<RestOperation>): boolean =>
  listOf(document.root) !== undefined || [...operations].some(({ node }) => listOf(node) !== undefined);

export const securitySchemeOf = (document: RestDocument, name: string): RestNode | undefined =>
  document.child(document.child(document.child(document.root, "components"), "securitySchemes"), name);
