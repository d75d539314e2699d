/** The steps of references: JSON pointers (RFC 6901) in the fragments of URIs (RFC 3986). */

/** A step of a JSON pointer as a name (RFC 6901 §4). */
export const unescapePointer = (step: string): string =>
  decodePercent(step).replaceAll("~1", "/").replaceAll("~0", "~");

/** A name as a step of a JSON pointer (RFC 6901 §3). */
export const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Decodes the percent-encoding of a part of a reference (RFC 3986 §2.1). */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
