/**
 * The request target (RFC 9112 §3.2). A server must accept the absolute form, which clients send to proxies, and then ignore the
 * `Host` field in favour of the target's host (§3.2.2).
 */
import type { IncomingMessage } from "node:http";

/** A scheme and an authority without user information (RFC 9110 §4.2.4), followed by path and query. */
const absoluteForm = /^https?:\/\/((?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?)((?:[/?].*)?)$/i;

/** Converts the target to origin form and sets `Host` from an absolute target. Returns a malformed target unchanged. */
export function originForm(request: Pick<IncomingMessage, "url" | "headers">): string {
  const { url = "" } = request;
  const [, host, rest = ""] = url.startsWith("/") ? [] : (absoluteForm.exec(url) ?? []);
  if (host === undefined) return url;
  request.headers.host = host;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
