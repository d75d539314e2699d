/**
 * Removes credentials from log lines, as the last step before a line is written. It works on the text of the line, so it
 * covers every future log statement.
 */

/** Our API keys, anywhere in the text. */
const apiKey = /\bsk_(?:test|live)_[0-9A-Za-z]+/g;
/** Credentials in an `Authorization` value (RFC 9110 §11.6.2). */
const credentials = /\b(Bearer|Basic|ApiKey) +[^\s"\\,]+/gi;
/** JSON members whose values are secrets. */
const secretMember =
  /"((?:proxy-)?authorization|x-api-key|x-gateway-proof|(?:set-)?cookie)":(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;

/** Returns a function that replaces credentials and the given secrets in a line. */
export function redactor(...secrets: (string | undefined)[]): (line: string) => string {
  const known = secrets.filter((secret) => secret !== undefined);
  return (line) => {
    const blanked = line
      .replace(secretMember, '"$1":"[redacted]"')
      .replace(credentials, "$1 [redacted]")
      .replace(apiKey, "[redacted]");
    return known.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), blanked);
  };
}
