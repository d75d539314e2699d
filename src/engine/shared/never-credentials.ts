/** Request headers that never contain a credential, regardless of the document. All names are in lower case. */

/** The header with the gateway's proof (`GATEWAY_SECRET`), for the roles behind it. */
export const proofHeader = "x-gateway-proof";

/** Default of `CONTEXT_HEADER_PREFIX`, the prefix of context headers. */
export const defaultContextPrefix = "X-Service-";

/** Headers of a connection or of a message, and headers that a role sets itself. */
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

/** Whether no credential can travel in a header, as far as that is known without the configuration of a role. */
export const isNeverCredential = (name: string): boolean =>
  neverCredentials.has(name) || name.startsWith(defaultContextPrefix.toLowerCase());
