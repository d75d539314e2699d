/**
 * Removes credentials and control characters from log lines. Runs on the text of each line just before it is written, and so
 * covers every log statement.
 */
import { escapeControlCharacters } from "../../shared/control-characters.ts";

const apiKey = /\bsk_(?:test|live)_[0-9A-Za-z]+/g;
/** Values of `Authorization` (RFC 9110 §11.6.2). */
const credentials = /\b(Bearer|Basic|ApiKey) +[^\s"\\,]+/gi;
/** A URL: scheme, user and password, host and path, query and fragment. */
const url = /\b([a-z][a-z\d+.-]*:\/\/)([^\s"\\/?#]*@)?([^\s"\\?#]*)([?#][^\s"\\]*)?/gi;
const secretMembers = [
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "x-gateway-proof",
  "cookie",
  "set-cookie",
];

/** Creates a function that redacts credentials and `secrets` in a line. `headers` are further headers with credentials. */
export function redactor(
  secrets: readonly (string | undefined)[],
  headers: readonly string[] = [],
): (line: string) => string {
  const definedSecrets = secrets.filter((secret) => secret !== undefined);
  const names = [...new Set([...secretMembers, ...headers])].map((name) => name.replace(/[^\w-]/g, "\\$&"));
  const secretMember = new RegExp(`"(${names.join("|")})":(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, "gi");
  return (line) => {
    const redacted = line
      .replace(secretMember, '"$1":"[redacted]"')
      .replace(credentials, "$1 [redacted]")
      .replace(apiKey, "[redacted]")
      .replace(url, (_whole, scheme: string, user = "", place: string, rest = "") =>
        [scheme, user && "[redacted]@", place, rest && `${rest[0]}[redacted]`].join(""),
      );
    return escapeControlCharacters(
      definedSecrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), redacted),
    );
  };
}
