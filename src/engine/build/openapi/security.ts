/** The security requirements of an operation (OpenAPI 3.1 §4.8.30) and the security schemes (§4.8.27). */
import { isRecord, membersOf } from "../../shared/json-object.ts";
import type { CredentialPlace, ScopeRequirement } from "../../shared/operation.ts";
import type { RestDocument, RestNode, RootNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";

type SecurityRequirements = {
  /** The node that contains the `security` list: the operation or the document. */
  readonly owner: RestNode;
  /**
   * A request must satisfy one of these alternatives. Keys are names of security schemes; an empty object allows anonymous calls.
   */
  readonly alternatives: readonly Readonly<Record<string, unknown>>[];
};

/** Returns the operation's `security` list, or the document's if the operation has none. An empty list allows anonymous calls. */
export function securityRequirementsOf({ node, root }: RestOperation): SecurityRequirements {
  const ownList = listOf(node);
  const alternatives = (ownList ?? listOf(root) ?? []).filter(isRecord);
  return {
    owner: ownList ? node : root,
    alternatives: alternatives.length > 0 ? alternatives : [{}],
  };
}

/** Returns the security schemes of each alternative in `security`. `node` is `undefined` for an undefined scheme. */
export const schemesOf = (document: RestDocument, operation: RestOperation) =>
  securityRequirementsOf(operation).alternatives.map((alternative) =>
    Object.keys(alternative).map((name) => ({
      name,
      node: securitySchemeOf(document, operation.root, name),
    })),
  );

const listOf = ({ value }: RestNode): unknown[] | undefined =>
  isRecord(value) && Array.isArray(value.security) ? value.security : undefined;

/**
 * For each alternative in `security`, returns the lower-case request headers in which clients send its credentials. Schemes other
 * than `apiKey` and `mutualTLS` use `Authorization` (OpenAPI 3.1 §4.8.27).
 */
export function credentialHeadersOf(document: RestDocument, operation: RestOperation): string[][] {
  const lists = schemesOf(document, operation).map((schemes) =>
    [...new Set(schemes.flatMap(({ node }) => headerOf(node) ?? []))].sort(),
  );
  return [...new Map(lists.map((list) => [list.join(), list])).values()].filter(({ length }) => length > 0);
}

/**
 * Whether the operation itself declares `security: []`. A `security: []` of the whole document does not count, because it may
 * also cover operations that identify the caller by the context headers of a gateway.
 */
export const isDeclaredPublic = ({ node }: RestOperation): boolean => listOf(node)?.length === 0;

/** Whether the operation allows anonymous calls, even if it allows calls with credentials too. */
export const isAnonymousToo = (operation: RestOperation): boolean =>
  securityRequirementsOf(operation).alternatives.some((one) => Object.keys(one).length === 0);

/** `scope-token` (RFC 6749 §3.3). Other scopes are ignored, because no token can contain them. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Returns the scopes and the credential headers of each alternative in `security`; empty if no alternative requires a scope. Only
 * `oauth2` and `openIdConnect` schemes list scopes; other schemes list role names (OpenAPI 3.1 §4.8.30).
 */
export function scopeRequirementsOf(document: RestDocument, operation: RestOperation): ScopeRequirement[] {
  const requirements = securityRequirementsOf(operation).alternatives.map((alternative) => {
    const schemes = Object.entries(alternative).map(([name, list]) => ({
      list,
      node: securitySchemeOf(document, operation.root, name),
    }));
    const scopes = schemes.flatMap(({ list, node }) =>
      schemesWithScopes.has(membersOf(node?.value).type) && Array.isArray(list) ? list : [],
    );
    return {
      headers: [...new Set(schemes.flatMap(({ node }) => headerOf(node) ?? []))].sort(),
      scopes: [...new Set(scopes.filter((scope) => typeof scope === "string" && scopeToken.test(scope)))],
    };
  });
  return requirements.some(({ scopes }) => scopes.length > 0) ? requirements : [];
}

const schemesWithScopes: ReadonlySet<unknown> = new Set(["oauth2", "openIdConnect"]);

/** Maps the client's request header to the place where REST expects the credential, if different. */
export function credentialPlacesOf(
  document: RestDocument,
  operation: RestOperation,
): Map<string, CredentialPlace> {
  const schemes = schemesOf(document, operation).flat();
  return new Map(
    schemes.flatMap(({ node: scheme }): [string, CredentialPlace][] => {
      const { in: location, name } = membersOf(scheme?.value);
      const header = headerOf(scheme);
      const own = ownHeaderOf(scheme);
      if (header === undefined || header === own) return [];
      if (own !== undefined) return [[header, { in: "header", name: own }]];
      const isPlace = location === "query" || location === "cookie";
      return isPlace && typeof name === "string" ? [[header, { in: location, name }]] : [];
    }),
  );
}

/**
 * Returns the lower-case request header in which clients send a scheme's credential: `x-from-header`, or else the header in which
 * REST expects it.
 */
export function headerOf(scheme: RestNode | undefined): string | undefined {
  const { type, "x-from-header": from } = membersOf(scheme?.value);
  const isNamed = from !== undefined && (type === "apiKey" || ofAuthorization.has(type));
  return isNamed ? headerName(from) : ownHeaderOf(scheme);
}

const ofAuthorization: ReadonlySet<unknown> = new Set(["http", "oauth2", "openIdConnect"]);

/** Returns the header in which REST expects the credential, in lower case. */
export function ownHeaderOf(scheme: RestNode | undefined): string | undefined {
  const { type, in: location, name } = membersOf(scheme?.value);
  if (type === "apiKey") return location === "header" ? headerName(name) : undefined;
  return ofAuthorization.has(type) ? "authorization" : undefined;
}

/**
 * Returns the name in lower case; `undefined` if it is invalid (RFC 9110 §5.1) or `__proto__`, a header that Node drops.
 */
export const headerName = (name: unknown): string | undefined =>
  typeof name === "string" && /^(?!__proto__$)[\w!#$%&'*+.^`|~-]+$/i.test(name)
    ? name.toLowerCase()
    : undefined;

/** Whether the document or one of its operations has a `security` list, even an empty one, which declares anonymous access. */
export const declaresSecurity = (root: RootNode, operations: Iterable<RestOperation>): boolean =>
  listOf(root) !== undefined ||
  [...operations].some((operation) => operation.root === root && listOf(operation.node) !== undefined);

export const securitySchemesOf = (document: RestDocument, root: RootNode): RestNode | undefined =>
  document.child(document.child(root, "components"), "securitySchemes");

export const securitySchemeOf = (
  document: RestDocument,
  root: RootNode,
  name: string,
): RestNode | undefined =>
  document.child(securitySchemesOf(document, root), name) ??
  // from OpenAPI 3.2 on, a name can be the URI of a security scheme, unless a component has this name
  (/[#/.]/.test(name) ? document.follow({ ...root, value: { $ref: name } }) : undefined);
