/**
 * Phase 2: forwards only end-to-end headers of HTTP and request headers that the OpenAPI document declares. A server behind the
 * gateway might trust any other header, as it trusts the headers of a proxy.
 *
 * Hop-by-hop headers (RFC 9110 §7.6.1) are not forwarded even if the OpenAPI document declares them. The same holds for headers
 * that only a gateway may set: context headers, the proof and the client's address, which `inject` sets later. Proxy vendors use
 * many header names, so their headers are recognised by words and prefixes.
 */
import type { IncomingHttpHeaders } from "node:http";
import { canonicalHeader, isGatewayHeader } from "../shared/never-credentials.ts";
import { Dictionary } from "../shared/own.ts";

export type HeaderFields = Record<string, string | string[]>;
/** An upstream may repeat any header, even one for which Node's types declare a single value. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** End-to-end headers of HTTP. Other headers are declared in a product's OpenAPI document. */
// biome-ignore format: one group of headers a line
const standard = [
  // content and its negotiation (RFC 9110 §8, §12.5), digests (RFC 9530), signatures (RFC 9421)
  "accept", "accept-charset", "accept-encoding", "accept-language", "accept-patch", "accept-post",
  "content-disposition", "content-encoding", "content-language", "content-length", "content-location",
  "content-range", "content-type", "content-md5", "digest", "want-digest", "content-digest",
  "repr-digest", "want-content-digest", "want-repr-digest", "signature", "signature-input",
  "slug", "link",
  // conditions, ranges, caches (RFC 9110 §13, §14; RFC 9111)
  "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range",
  "cache-control", "pragma", "date",
  // the client and its preferences (RFC 9110 §10.1; RFC 7240, RFC 9218)
  "authorization", "x-api-key", "from", "referer", "user-agent", "prefer", "priority", "idempotency-key",
  "save-data", "dnt", "sec-gpc",
  // the page that sends the request (Fetch); GraphQL clients such as Apollo and the explorer
  "origin", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user",
  "access-control-request-method", "access-control-request-headers", "x-requested-with",
  "apollo-require-preflight", "x-apollo-operation-name", "x-apollo-operation-id", "x-explain-calls",
  "apollographql-client-name", "apollographql-client-version",
  "graphql-client-name", "graphql-client-version",
  // agents: Model Context Protocol (Transports, "Protocol Version Header"), server-sent events (HTML §9.2)
  "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id",
];

/**
 * Headers that are never forwarded, in either direction. The gateway alone sets the client's identity, CORS, the request id, rate
 * limits and headers that apply to the gateway's whole origin. For example, if a service could set a cookie, a browser would send
 * that cookie to all services, from the pages of every tenant. Proxies in front of the gateway obey some of these headers
 * (`X-Accel-Redirect`). The rest of them disclose details of the upstream.
 */
// biome-ignore format: one group of headers a line
const neverForwarded = new Set([
  // about the connection (RFC 9110 §7.6.1)
  "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
  "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
  // about a proxy; the upstream has its own `host`, and Node answers `expect`
  "host", "expect", "via", "proxy", "early-data", "front-end-https", "x-host", "x-url-scheme",
  "x-http-method", "x-http-method-override", "x-method-override", "x-rewrite-url", "x-script-name",
  "surrogate-capability", "surrogate-control", "x-jwt-assertion",
  "x-sendfile", "x-sendfile-type", "x-lighttpd-send-file",
  // about the request and its trace
  "x-request-id", "traceparent", "tracestate", "traceresponse", "baggage", "b3", "uber-trace-id",
  "sentry-trace", "x-cloud-trace-context",
  // about the session and the origin
  "set-cookie", "set-cookie2", "www-authenticate", "optional-www-authenticate",
  "authentication-info", "authentication-control", "refresh", "clear-site-data", "alt-svc", "nel",
  "report-to", "reporting-endpoints", "strict-transport-security", "x-content-type-options",
  "service-worker-allowed",
  // about the upstream
  "server", "server-timing", "x-powered-by", "x-served-by", "x-runtime", "x-aspnet-version",
  "x-aspnetmvc-version", "sourcemap", "x-sourcemap",
]);
/**
 * Words in the names of headers that proxies set: a client's address (`True-Client-IP`, `X-Remote-Addr`, `X-Azure-ClientIP`), a
 * route (`Forwarded`, `X-Forwarded-For`, `X-Original-Host`), or an authenticated user.
 */
const proxyWord =
  /(?:^|[^a-z0-9])(?:(?:client|real|remote|source|socket|connecting|user|origin)?ip(?:v?[46])?|addr|address|forward|forwarded|(?:client|remote|real|original|originating|proxy)[^a-z0-9]?(?:host|port|proto|scheme|user|cert|verify|ur[il]|path|method)|ipcountry|webauth|authenticated)(?:$|[^a-z0-9])/;
/** Header prefixes of CDN, proxy and tracing vendors, and of products that authenticate users. */
const proxyPrefix =
  /^(?:x-)?(?:cf|fastly|cloudfront|akamai|azure|envoy|amzn|appengine|goog|vercel|fly|arr|ssl|accel|middleware|auth-request|consumer|credential|ms-client|b3|uberctx|datadog|ot-span)-/;
const upstreamDetail = /^x-(?:debug|backend|upstream)(?:-|$)/;

/** Whether a header, in any spelling, is never forwarded. `prefix` is the prefix of the context headers. */
function isNeverForwarded(prefix: string, name: string): boolean {
  if (name === "__proto__") return true; // would set the prototype of a plain object
  const canonical = canonicalHeader(name);
  return (
    neverForwarded.has(canonical) ||
    isGatewayHeader(prefix, name) ||
    proxyWord.test(canonical) ||
    proxyPrefix.test(canonical)
  );
}

export const forwardedHeaderNames = (prefix: string, declared: readonly string[]): ReadonlySet<string> =>
  new Set([...standard, ...declared].filter((name) => !isNeverForwarded(prefix, name)));

/** Removes request headers whose names are not in `forwarded`. */
export const stripRequest = (forwarded: ReadonlySet<string>, headers: IncomingHttpHeaders): HeaderFields =>
  filterHeaders(headers, (name) => forwarded.has(name));

/** The response headers that may reach the client. In a 401, the gateway's challenge replaces the upstream's. */
export function stripResponse(
  prefix: string,
  status: number,
  headers: UpstreamHeaders,
  challenge: string,
): HeaderFields {
  const kept = filterHeaders(headers, (name) => {
    if (status === 204 && name === "content-length") return false; // not allowed in a 204 (RFC 9110 §8.6)
    if (isNeverForwarded(prefix, name) || upstreamDetail.test(name)) return false;
    return !name.startsWith("access-control-") && !/^ratelimit(?:-|$)/.test(name);
  });
  return status === 401 ? { ...kept, "www-authenticate": challenge } : kept;
}

/**
 * Returns the `Cache-Control` of the response to the client. The response is private unless the upstream explicitly allows shared
 * caches. Shared caches do not store a response to a request with `Authorization` (RFC 9111 §3.5), but they do not know that
 * `X-API-Key` is a credential.
 */
export function clientCacheControl(given: string | string[] = "no-store"): string {
  const control = [given].flat().join(", ");
  return /\b(?:public|s-maxage|private)\b/i.test(control) ? control : `private, ${control}`;
}

function filterHeaders(headers: UpstreamHeaders, isForwarded: (name: string) => boolean): HeaderFields {
  const named = connectionOptions([headers.connection ?? []].flat().join());
  const kept = new Dictionary<string | string[]>();
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !named.has(name) && isForwarded(name)) kept[name] = value;
  }
  return kept;
}

const none: ReadonlySet<string> = new Set();

/** The header names that `Connection` declares hop-by-hop. */
function connectionOptions(connection: string): ReadonlySet<string> {
  if (connection === "" || connection === "keep-alive" || connection === "close") return none;
  return new Set(
    connection
      .toLowerCase()
      .split(",")
      .map((option) => option.trim()),
  );
}
