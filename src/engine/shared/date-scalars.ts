/**
 * The scalars that correspond to a format of JSON Schema (2020-12, Validation §7.3.1): date-time and date of RFC 3339 §5.6.
 * Every other custom scalar accepts any value.
 */

/** Scalar name → JSON Schema format. */
export const dateScalars: ReadonlyMap<string, string> = new Map([
  ["DateTime", "date-time"],
  ["Date", "date"],
]);

/** The URL for `@specifiedBy`. */
export const dateScalarsUrl = "https://www.rfc-editor.org/rfc/rfc3339#section-5.6";
