/** The settings of access tokens that gateways verify locally, and what they publish about them. */
import type { Environment } from "./environment.ts";
import { introspectionNames } from "./validators.ts";

export type TokenSettings = {
  readonly issuer: string;
  readonly audience: string;
  /** URL or file of the issuer's public keys. */
  readonly jwks: URL | string;
};
type TokenVariables = Pick<Environment, "TOKEN_ISSUER" | "TOKEN_AUDIENCE" | "TOKEN_JWKS">;

/** Undefined unless all three variables are set. */
export function tokenSettings({
  TOKEN_ISSUER: issuer,
  TOKEN_AUDIENCE: audience,
  TOKEN_JWKS: jwks,
}: TokenVariables): TokenSettings | undefined {
  return issuer && audience && jwks ? { issuer, audience, jwks } : undefined;
}

/**
 * Members of the caller's context whose claims RFC 9068 §2.2 defines. Any other member has a claim of the same name, unless
 * `TOKEN_NAMES` maps it.
 */
const defaultNames = "user_id=sub,api_key_id=client_id,key_scopes=scope";

/** Our name of a member of the caller's context → the claim. */
export const tokenClaimNames = (value: string | undefined): ReadonlyMap<string, string> =>
  new Map([...introspectionNames(defaultNames), ...introspectionNames(value)]);

/**
 * Protected resource metadata (RFC 9728): its URL, the paths that serve it, and its content. Clients compare `resource` with the
 * URL that they call (§3.3), so there is metadata only if the audience is a URL.
 */
export function resourceMetadata(env: TokenVariables) {
  const { issuer, audience = "" } = tokenSettings(env) ?? {};
  const url = URL.parse(audience);
  if (!issuer || !url || !/^https?:$/.test(url.protocol) || url.search || url.hash) return undefined;
  const root = "/.well-known/oauth-protected-resource";
  const path = url.pathname === "/" ? root : root + url.pathname;
  return {
    url: url.origin + path,
    paths: [...new Set([root, path])],
    content: { resource: audience, authorization_servers: [issuer], bearer_methods_supported: ["header"] },
  };
}
