/**
 * The last thing that happens to a log line: whatever put it there, a credential does not get out. It looks at the
 * written line, not at the objects that it was made of, so that a new log line needs no thought.
 */

/** API keys of ours, whatever else is in the text. */
const apiKey = /\bsk_(?:test|live)_[0-9A-Za-z]+/g;
/** Credentials in an `Authorization` value (RFC 9110 §11.6.2). */
const credentials = /\b(Bearer|Basic|ApiKey) +[^\s"\\,]+/gi;
/** JSON members that hold nothing but secrets. */
const secretMember =
  /"((?:proxy-)?authorization|x-api-key|x-gateway-proof|(?:set-)?cookie)":(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;

/** Makes the function that blanks credentials, and the given secrets wherever they show up, out of a line. */
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
