/**
 * Chooses the upstream of a request, and the path to request from it, by the request target (RFC 9112 §3.2). First rejects paths
 * that two servers could read differently: dot segments, empty segments, backslashes, encoded dots and encoded slashes. Otherwise
 * the gateway could check one path and the upstream could serve another.
 */
import { CodedError } from "../runtime/coded-error.ts";
import { graphqlPath, mcpPath, prefixOf } from "../runtime/http/endpoint-paths.ts";

/**
 * The services behind the gateway. The path of each URL is a prefix of the paths requested there. Without key introspection, only
 * keys of `KEYS_FILE` and access tokens are accepted. Without `rest`, only GraphQL is served.
 */
export type Backends = Readonly<{ rest?: URL; keyIntrospection?: URL; graphql?: URL; mcp?: URL }>;
/** `isOwn` is true if the upstream is a role of this service. */
export type UpstreamRoute = { upstream: URL; path: string; isOwn: boolean };

/** `pchar` (RFC 3986 §3.3) and `/`. Two hex digits must follow a percent sign. */
const plainPath = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
/** Empty and dot segments, with or without a `;` parameter. */
const ambiguousSegment = /\/\/|\/\.\.?(?:[/;]|$)/;
/**
 * Matches percent-encoded `.`, `/`, `;`, `\` and control characters. Also matches a percent-encoded `%` before two hex digits,
 * because a second decoding would decode these digits. The two digits may be percent-encoded too.
 */
const ambiguousEncoding = /%(?:2e|2f|3b|5c|[01][0-9a-f]|7f|25(?:[0-9a-f]|%3[0-9]|%[46][1-6]){2})/i;
const plainQuery = /^[\x21-\x22\x24-\x7e]*$/;

/**
 * Splits a request target into path and query. Throws BAD_REQUEST if the path is malformed or ambiguous, or the query malformed.
 */
export function parseRequestTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark);
  if (
    !plainPath.test(path) ||
    ambiguousSegment.test(path) ||
    ambiguousEncoding.test(path) ||
    !plainQuery.test(query)
  ) {
    throw new CodedError("BAD_REQUEST", "the path is malformed or ambiguous");
  }
  return { path, query };
}

/** Chooses the upstream of a path under `/v1/`. Throws NOT_FOUND for any other path, and a service that is not configured. */
export function findRoute(backends: Backends, requestTarget: string): UpstreamRoute {
  const { path, query } = parseRequestTarget(requestTarget);
  const isOwn = path === graphqlPath || path === mcpPath;
  const own = path === graphqlPath ? backends.graphql : backends.mcp;
  const upstream = isOwn ? own : backends.rest;
  if (!path.startsWith("/v1/") || !upstream) throw new CodedError("NOT_FOUND", "nothing on this path");
  return { upstream, path: prefixOf(upstream) + path + query, isOwn };
}
