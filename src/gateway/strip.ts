/**
 * Phase 1: removes the headers that must not be forwarded: hop-by-hop fields (RFC 9110 §7.6.1) and every header that only
 * a gateway may set (context headers, proof, the client's address). `inject` sets its own afterwards. Each maker of proxies
 * has header names of its own, so proxy headers are recognised by words and prefixes.
 */
import type { IncomingHttpHeaders } from "node:http";
import { proofHeader } from "../http/context-headers.ts";

export type Headers = Record<string, string | string[]>;

const hopByHop = [
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "http2-settings"],
];
/** The upstream has its own `host`. Node answers `expect`. The other headers belong to proxies. */
const neverFromClients = new Set([
  ...hopByHop,
  ...["host", "expect", "via", "x-http-method-override", "x-method-override"],
  ...["proxy", "x-http-method", "x-rewrite-url", "x-host", "x-url-scheme", "x-script-name"],
  ...["front-end-https", "early-data", "surrogate-capability", "x-sendfile-type", "x-jwt-assertion"],
  ...["x-request-id", "traceparent", "tracestate", "baggage", "b3", "uber-trace-id", "sentry-trace"],
  "x-cloud-trace-context",
]);
/**
 * Words anywhere in a name that tell of a proxy: an address (`True-Client-IP`, `X-Remote-Addr`, `X-Azure-ClientIP`), a
 * way (`Forwarded`, `X-Forwarded-For`, `X-Original-Host`), or a user whom a proxy let in.
 */
const proxyWord =
  /(?:^|[^a-z0-9])(?:(?:client|real|remote|source|socket|connecting|user|origin)?ip(?:v?[46])?|addr|address|forward|forwarded|(?:client|remote|real|original|originating|proxy)[^a-z0-9]?(?:host|port|proto|scheme|user|cert|verify|ur[il]|path|method)|ipcountry|webauth|authenticated)(?:$|[^a-z0-9])/;
/**
 * Prefixes of names that belong to the networks, proxies and tracers of one maker, or to products that tell whom they
 * let in.
 */
const proxyPrefix =
  /^(?:x-)?(?:cf|fastly|cloudfront|akamai|azure|envoy|amzn|appengine|goog|vercel|fly|arr|ssl|accel|middleware|auth-request|consumer|credential|ms-client|b3|uberctx|datadog|ot-span)-/;
/**
 * The front decides CORS, the request id, the rate limit and the headers that hold for its whole origin. A proxy in
 * front obeys some headers (`X-Accel-Redirect`). Others tell of the upstream itself.
 */
const neverFromUpstreams = new Set([
  ...[...hopByHop, "x-request-id", "x-powered-by", "server", "via", "server-timing", "traceresponse"],
  ...["x-sendfile", "x-lighttpd-send-file", "surrogate-control", "refresh", "clear-site-data", "alt-svc"],
  ...["strict-transport-security", "nel", "report-to", "reporting-endpoints", "service-worker-allowed"],
  ...["sourcemap", "x-sourcemap", "x-runtime", "x-aspnet-version", "x-aspnetmvc-version", "x-served-by"],
]);
const ofUpstream = /^x-(?:debug|backend|upstream)(?:-|$)/;

/**
 * The request headers that may reach an upstream. `prefix` is the prefix of the context headers. Some servers read `_`
 * in a name as `-`: of names with `_`, only those of `credentials` may pass.
 */
export function stripRequest(
  prefix: string,
  headers: IncomingHttpHeaders,
  credentials: ReadonlySet<string>,
): Headers {
  return keep(headers, (name) => {
    if (neverFromClients.has(name) || (name.includes("_") && !credentials.has(name))) return false;
    return !isOurs(prefix, name) && !proxyWord.test(name) && !proxyPrefix.test(name);
  });
}

/** The response headers that may reach the client. */
export function stripResponse(prefix: string, status: number, headers: IncomingHttpHeaders): Headers {
  return keep(headers, (name) => {
    if (status === 204 && name === "content-length") return false; // such a response has none (RFC 9110 §8.6)
    if (neverFromUpstreams.has(name) || isOurs(prefix, name)) return false;
    if (proxyWord.test(name) || proxyPrefix.test(name) || ofUpstream.test(name)) return false;
    return !name.startsWith("access-control-") && !name.startsWith("ratelimit-");
  });
}

/** Context headers and proof, whatever character stands for a dash: CGI-like servers read `_` and `.` as one. */
function isOurs(prefix: string, name: string): boolean {
  const plain = name.replace(/[^a-z0-9]/g, "-");
  return plain.startsWith(prefix.toLowerCase()) || plain === proofHeader;
}

function keep(headers: IncomingHttpHeaders, mayTravel: (name: string) => boolean): Headers {
  const named = connectionOptions(headers.connection);
  const kept: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !named.has(name) && mayTravel(name)) kept[name] = value;
  }
  return kept;
}

const none: ReadonlySet<string> = new Set();

/** The fields that a `Connection` header declares hop-by-hop. */
function connectionOptions(connection: string | undefined): ReadonlySet<string> {
  if (!connection || connection === "keep-alive" || connection === "close") return none;
  return new Set(
    connection
      .toLowerCase()
      .split(",")
      .map((option) => option.trim()),
  );
}
