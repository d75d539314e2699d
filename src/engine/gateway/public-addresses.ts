/**
 * Rewrites or drops upstream addresses in response headers, because clients cannot reach them and they disclose the internal
 * host. For `Location`, nginx's `proxy_redirect` does the same.
 *
 * - An address on the upstream's origin becomes the public path. References may be relative (RFC 9110 §10.2.2), so the path needs
 *   no host.
 * - In `Location`, `Content-Location` and `Link`, any other address is dropped, because its host may be internal too.
 * - Any other header is changed only if its value names the upstream's host.
 */

import { prefixOf } from "../runtime/http/endpoint-paths.ts";
import { Dictionary } from "../shared/own.ts";
import type { HeaderFields } from "./strip.ts";
import type { UpstreamRoute } from "./upstream-route.ts";

type Reader = {
  /** The public path of an address on the upstream's origin. `undefined` for any other address. */
  readonly publicPath: (reference: string) => string | undefined;
  readonly namesHost: RegExp;
};

/** `publicHost` is the request's `Host`. */
export function publicAddresses(
  route: UpstreamRoute,
  publicHost: string | undefined,
  headers: HeaderFields,
): HeaderFields {
  const reader: Reader = {
    publicPath: publicPathOf(route, publicHost),
    namesHost: namesHostOf(route.upstream),
  };
  const kept = new Dictionary<string | string[]>();
  for (const name in headers) {
    const values = [headers[name] ?? []].flat().flatMap((value) => publicValue(name, value, reader) ?? []);
    if (values.length > 0) kept[name] = values.length === 1 ? (values[0] as string) : values;
  }
  return kept;
}

function publicValue(name: string, value: string, reader: Reader): string | undefined {
  const { publicPath, namesHost } = reader;
  if (name === "location" || name === "content-location") return publicPath(value);
  const shown = name === "link" ? publicLinks(value, reader) : value;
  if (shown === undefined || !namesHost.test(shown)) return shown;
  return /^https?:/i.test(shown) ? publicPath(shown) : undefined; // headers such as `Operation-Location` consist of a URL
}

function publicPathOf({ upstream, path }: UpstreamRoute, publicHost: string | undefined) {
  return (reference: string): string | undefined => {
    const prefix = prefixOf(upstream);
    const requestUrl = new URL(path, upstream);
    const address = URL.parse(reference, requestUrl.href);
    if (!address || !/^https?:$/.test(address.protocol)) return undefined;
    if (address.host !== requestUrl.host && address.host !== publicHost?.toLowerCase()) return undefined;
    const { pathname, search, hash } = address;
    const inside = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
    const shown = inside + search + hash;
    return inside.startsWith("/v1/") && !namesHostOf(upstream).test(shown) ? shown : undefined;
  };
}

/** Matches one link of a `Link` header (RFC 8288 §3): the target, and parameters with optionally quoted values. */
const link = /[\s,]*<([^>]*)>((?:[^",<>]|"(?:[^"\\]|\\.)*")*)/y;
/**
 * Matches the parameter `anchor`, which is an address too (§3.2). A link with an anchor is dropped, because few clients use it.
 */
const anchor = /;\s*anchor\s*\*?=/i;

/** Returns the links whose target has a public path; `undefined` without such a link, and for a malformed header. */
function publicLinks(header: string, { publicPath, namesHost }: Reader): string | undefined {
  const kept: string[] = [];
  link.lastIndex = 0;
  for (let at = 0; at < header.length; at = link.lastIndex) {
    const [, target = "", parameters = ""] = link.exec(header) ?? [undefined];
    if (link.lastIndex === 0) return undefined;
    const path = publicPath(target);
    if (path !== undefined && !anchor.test(parameters) && !namesHost.test(parameters))
      kept.push(`<${path}>${parameters.trimEnd()}`);
  }
  return kept.length > 0 ? kept.join(", ") : undefined;
}

const hostPatterns = new WeakMap<URL, RegExp>();

/**
 * Returns a pattern that matches the upstream's host name inside a URL, or followed by the upstream's port. The host name alone
 * does not match, because it may be a common word such as `rest`.
 */
function namesHostOf(upstream: URL): RegExp {
  const found = hostPatterns.get(upstream);
  if (found) return found;
  const { hostname, port } = upstream;
  const name = hostname.replace(/[^a-z0-9]/gi, "\\$&");
  const pattern = new RegExp(`(?://|%2f|@)${name}(?![\\w-]|\\.\\w)${port && `|${name}:${port}(?!\\d)`}`, "i");
  hostPatterns.set(upstream, pattern);
  return pattern;
}
