/** Request headers that are never treated as credentials, even if the OpenAPI document declares that they contain one. */

/** The header with which a gateway proves to the roles behind it that it knows `GATEWAY_SECRET`. */
export const proofHeader = "x-gateway-proof";

/** Default of `CONTEXT_HEADER_PREFIX`, the prefix of context headers. */
export const defaultContextPrefix = "X-Service-";

/** Headers about the connection or the message, and headers that the server sets. */
export const neverCredentials: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "traceparent",
  "tracestate",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
  proofHeader,
]);

/**
 * Returns the canonical spelling of a header's name, for comparisons. Names with the same spelling count as one header: for
 * example, CGI and WSGI servers cannot distinguish `X_Author.Id` from `X-Author-Id`.
 */
export const canonicalHeader = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "-");

/** Whether the header is a context header or the proof, which only a gateway may set. */
export function isGatewayHeader(prefix: string, name: string): boolean {
  const canonical = canonicalHeader(name);
  return canonical.startsWith(prefix.toLowerCase()) || canonical === proofHeader;
}

/**
 * Whether the header never carries a credential. Code that runs at build time uses the default prefix, because it does not know
 * the configuration of the running service.
 */
export const isNeverCredential = (name: string, prefix = defaultContextPrefix): boolean =>
  neverCredentials.has(canonicalHeader(name)) || isGatewayHeader(prefix, name);
