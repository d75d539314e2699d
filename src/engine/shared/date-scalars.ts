/**
 * The scalars that stand for a format of JSON Schema (2020-12, Validation §7.3.1): a time and a day as RFC 3339 §5.6 writes
 * them. Every other custom scalar stands for any value.
 */

/** Scalar → format. */
export const dateScalars: ReadonlyMap<string, string> = new Map([
  ["DateTime", "date-time"],
  ["Date", "date"],
]);

/** The standard that `@specifiedBy` names. */
export const dateScalarsUrl = "https://www.rfc-editor.org/rfc/rfc3339#section-5.6";
