/**
 * The GraphQL scalars whose values must match a format of JSON Schema (2020-12, Validation §7.3.1). The formats are `date-time`
 * and `date` (RFC 3339 §5.6). Every other custom scalar accepts any value.
 */

/** Maps the name of a scalar to its JSON Schema format. */
export const dateScalars: ReadonlyMap<string, string> = new Map([
  ["DateTime", "date-time"],
  ["Date", "date"],
]);

/** The URL that the directive `@specifiedBy` of these scalars contains. */
export const dateScalarsUrl = "https://www.rfc-editor.org/rfc/rfc3339#section-5.6";
