/** Helpers for untrusted JSON (RFC 8259). They do not treat arrays as objects. */

/** The parsed value; `undefined` if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of an object; an empty object for any other value. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};
