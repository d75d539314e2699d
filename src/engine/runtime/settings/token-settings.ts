/** The settings of access tokens that gateways verify locally, and the metadata that gateways publish about them. */
import { isSafeMethod, type Operations } from "../../shared/operation.ts";
import type { Environment } from "./environment.ts";
import { introspectionNames } from "./validators.ts";

export type TokenSettings = {
  readonly issuer: string;
  readonly audience: string;
  /** URL or file of the issuer's public keys. */
  readonly jwks: URL | string;
};
type TokenVariables = Pick<Environment, "TOKEN_ISSUER" | "TOKEN_AUDIENCE" | "TOKEN_JWKS">;
type MetadataVariables = TokenVariables & Pick<Environment, "AUTHORIZATION_SERVERS">;

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

/** Returns the name of the claim for each member of the caller's context. */
export const tokenClaimNames = (value: string | undefined): ReadonlyMap<string, string> =>
  new Map([...introspectionNames(defaultNames), ...introspectionNames(value)]);

/**
 * Protected resource metadata (RFC 9728): its URL, the paths that serve it, and its content. Clients compare `resource` with the
 * URL that they call (§3.3), so there is metadata only if the audience is a URL. `scopes`: the scopes that clients request first.
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

/** `TOKEN_AUDIENCE` as a resource identifier (RFC 9728 §1.2); `undefined` if it is not one. */
export function audienceUrl(audience: string): URL | undefined {
  const url = URL.parse(audience);
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash ? url : undefined;
}

/**
 * Returns the scopes that clients request first: the scopes of reads, by the first security requirement that has scopes. Clients
 * request the scopes of writes when a write needs them (MCP 2025-11-25, Authorization, "Scope Selection Strategy").
 */
export function initialScopes(operations: Operations): readonly string[] {
  const reads = Object.entries(operations).filter(([name]) => isSafeMethod(name.split(" ")[0] ?? ""));
  return [
    ...new Set(
      reads.flatMap(([, { scopes = [] }]) => scopes.find((one) => one.scopes.length > 0)?.scopes ?? []),
    ),
  ];
}
