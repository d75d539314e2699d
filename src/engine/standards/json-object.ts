/** Objects among the values of JSON (RFC 8259 §4). A list is none. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of an object; none of any other value. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};
