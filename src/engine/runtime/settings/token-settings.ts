/** The settings of access tokens that gateways verify locally, and the metadata that gateways publish about them. */
import { isSafeMethod, type Operations } from "../../shared/operation.ts";
import type { Environment } from "./environment.ts";
import { introspectionNames } from "./validators.ts";

export type TokenSettings = {
  readonly issuer: string;
  readonly audience: string;
  readonly jwks: URL | string;
};
type TokenVariables = Pick<Environment, "TOKEN_ISSUER" | "TOKEN_AUDIENCE" | "TOKEN_JWKS">;
type MetadataVariables = TokenVariables & Pick<Environment, "AUTHORIZATION_SERVERS">;

/** Returns `undefined` unless all three variables are set. */
export function tokenSettings({
  TOKEN_ISSUER: issuer,
  TOKEN_AUDIENCE: audience,
  TOKEN_JWKS: jwks,
}: TokenVariables): TokenSettings | undefined {
  return issuer && audience && jwks ? { issuer, audience, jwks } : undefined;
}

/**
 * Maps members of the caller's context to the claims in RFC 9068 §2.2 that correspond to them. The claim of any other member has
 * the member's name, unless `TOKEN_NAMES` maps the member to another claim.
 */
const defaultNames = "user_id=sub,api_key_id=client_id,key_scopes=scope";

/** Maps members of the caller's context to claims. `value` is the variable `TOKEN_NAMES`. */
export const tokenClaimNames = (value: string | undefined): ReadonlyMap<string, string> =>
  new Map([...introspectionNames(defaultNames), ...introspectionNames(value)]);

/**
 * Returns the protected resource metadata (RFC 9728), its URL, and the paths that serve it. Returns `undefined` if the
 * audience is not a URL, because clients compare it with the URL that they call (§3.3). `scopes` are the scopes that clients
 * should request first.
 */
export function resourceMetadata(env: MetadataVariables, scopes: readonly string[] = []) {
  const { TOKEN_AUDIENCE: resource = "", AUTHORIZATION_SERVERS: servers } = env;
  const { issuer } = tokenSettings(env) ?? {};
  const issuers = [...new Set([...(issuer ? [issuer] : []), ...servers])];
  const url = audienceUrl(resource);
  if (issuers.length === 0 || !url) return undefined;
  const root = "/.well-known/oauth-protected-resource";
  const path = url.pathname === "/" ? root : root + url.pathname;
  return {
    url: url.origin + path,
    paths: [...new Set([root, path])],
    content: {
      resource,
      authorization_servers: issuers,
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
    },
  };
}

/** Returns the URL in `TOKEN_AUDIENCE`; `undefined` if it is not a resource identifier (RFC 9728 §1.2). */
export function audienceUrl(audience: string): URL | undefined {
  const url = URL.parse(audience);
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash ? url : undefined;
}

/**
 * Returns the scopes that clients request first: for each read, the scopes of its first security requirement with scopes.
 * Clients request the scopes of writes when a write needs them (MCP 2025-11-25, Authorization, "Scope Selection Strategy").
 */
export function initialScopes(operations: Operations): readonly string[] {
  const reads = Object.entries(operations).filter(([name]) => isSafeMethod(name.split(" ")[0] ?? ""));
  return [
    ...new Set(
      reads.flatMap(([, { scopes = [] }]) => scopes.find((one) => one.scopes.length > 0)?.scopes ?? []),
    ),
  ];
}
