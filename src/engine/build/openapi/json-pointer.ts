/** JSON pointers (RFC 6901) in URI fragments (RFC 3986). */

/** Decodes a reference token (RFC 6901 §4). */
export const unescapePointer = (step: string): string =>
  decodePercent(step).replaceAll("~1", "/").replaceAll("~0", "~");

/** Encodes a name as a reference token (RFC 6901 §3). */
export const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Decodes percent-encoding (RFC 3986 §2.1). Returns malformed text unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
