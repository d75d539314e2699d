/**
 * The request target (RFC 9112 §3.2). A server takes the absolute form, which clients send to proxies, and then disregards
 * the `Host` field (§3.2.2): the target names the host.
 */
import type { IncomingMessage } from "node:http";

/** A scheme and an authority without user information (RFC 9110 §4.2.4), with the path and the query behind them. */
const absoluteForm = /^https?:\/\/((?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?)((?:[/?].*)?)$/i;

/** The target in origin form; a malformed one as it is. `Host` becomes the host of an absolute target. */
export function originForm(request: Pick<IncomingMessage, "url" | "headers">): string {
  const { url = "" } = request;
  const [, host, rest = ""] = url.startsWith("/") ? [] : (absoluteForm.exec(url) ?? []);
  if (host === undefined) return url;
  request.headers.host = host;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
