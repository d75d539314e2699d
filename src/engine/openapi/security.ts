/** The security requirements of an operation (OpenAPI 3.1 §4.8.30) and the security schemes (§4.8.27). */
import { isRecord, membersOf } from "../standards/json-object.ts";
import type { RestDocument, RestNode } from "./document.ts";
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

/** Whether REST answers without a credential too. */
export const isAnonymousToo = (document: RestDocument, operation: RestOperation): boolean =>
  securityRequirementsOf(document, operation).alternatives.some((one) => Object.keys(one).length === 0);

/** A credential that REST takes in its query or in a cookie. */
export type CredentialPlace = { readonly in: "query" | "cookie"; readonly name: string };

/** The operation's credentials that REST takes in its query or in a cookie, by the request header that they come in. */
export function credentialPlacesOf(
  document: RestDocument,
  operation: RestOperation,
): Map<string, CredentialPlace> {
  const { alternatives } = securityRequirementsOf(document, operation);
  const schemes = alternatives.flatMap((alternative) =>
    Object.keys(alternative).map((name) => securitySchemeOf(document, name)),
  );
  return new Map(
    schemes.flatMap((scheme) => {
      const { in: location, name } = membersOf(scheme?.value);
      const header = headerOf(scheme);
      const isPlace = header !== undefined && (location === "query" || location === "cookie");
      return isPlace && typeof name === "string" ? [[header, { in: location, name }] as const] : [];
    }),
  );
}

/**
 * The request header that a security scheme's credential comes in, in lower case; `undefined` if it comes in none. A key
 * that REST takes in its query or in a cookie comes in the header that `x-from-header` names.
 */
export function headerOf(scheme: RestNode | undefined): string | undefined {
  const { type, in: location, name, "x-from-header": from } = membersOf(scheme?.value);
  if (type === "apiKey") return headerName(location === "header" ? name : from);
  return ["http", "oauth2", "openIdConnect"].includes(String(type)) ? "authorization" : undefined;
}

/** The name in lower case, if a header may have it (RFC 9110 §5.1). */
export const headerName = (name: unknown): string | undefined =>
  typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? name.toLowerCase() : undefined;

/** Whether the document says anywhere which credentials its operations take; `security: []` says that they take none. */
export const declaresSecurity = (document: RestDocument, operations: Iterable<RestOperation>): boolean =>
  listOf(document.root) !== undefined || [...operations].some(({ node }) => listOf(node) !== undefined);

export const securitySchemeOf = (document: RestDocument, name: string): RestNode | undefined =>
  document.child(document.child(document.child(document.root, "components"), "securitySchemes"), name);
