/**
 * Phase 1: the headers that may travel on. Hop-by-hop fields end here (RFC 9110 §7.6.1), and so does everything
 * that only a gateway may say: context headers, its proof, who the client is. What goes out under those names is
 * set afterwards, by `inject`.
 */
import type { IncomingHttpHeaders } from "node:http";
import { proofHeader } from "../http/context-headers.ts";

export type Headers = Record<string, string | string[]>;

const hopByHop = [
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "http2-settings"],
];
/** `host` is the upstream's own; Node has answered `expect` already; the rest would speak for a proxy. */
const neverFromClients = new Set([
  ...hopByHop,
  ...["host", "expect", "forwarded", "via", "x-real-ip", "x-http-method-override", "x-method-override"],
  ...["x-original-url", "x-rewrite-url", "x-request-id", "traceparent", "tracestate"],
]);
/** CORS is the front's to decide, as are the request id and the rate limit. */
const neverFromUpstreams = new Set([...hopByHop, "x-request-id", "x-powered-by", "server"]);

/** What of a client's request may reach an upstream. `prefix` is that of the context headers. */
export function stripRequest(prefix: string, headers: IncomingHttpHeaders): Headers {
  return keep(headers, (name) => {
    if (neverFromClients.has(name) || name.includes("_")) return false;
    return !isOurs(prefix, name) && !name.startsWith("x-forwarded-");
  });
}

/** What of an upstream's response may reach the client. */
export function stripResponse(prefix: string, status: number, headers: IncomingHttpHeaders): Headers {
  return keep(headers, (name) => {
    if (status === 204 && name === "content-length") return false; // it has none (RFC 9110 §8.6)
    if (neverFromUpstreams.has(name) || isOurs(prefix, name)) return false;
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
