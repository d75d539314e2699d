/**
 * Normalizes the request target (RFC 9112 §3.2). Clients send a target in absolute form (a whole URL) to proxies, but servers
 * must accept this form too. A server must then ignore `Host` and use the target's host (§3.2.2).
 */
import type { IncomingMessage } from "node:http";

/** Scheme, authority without user information (RFC 9110 §4.2.4), path and query. */
const absoluteForm = /^https?:\/\/((?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?)((?:[/?].*)?)$/i;

/** Converts an absolute target to origin form and sets `Host`. Returns a malformed target unchanged. */
export function originForm(request: Pick<IncomingMessage, "url" | "headers">): string {
  const { url = "" } = request;
  const [, host, rest = ""] = url.startsWith("/") ? [] : (absoluteForm.exec(url) ?? []);
  if (host === undefined) return url;
  request.headers.host = host;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
