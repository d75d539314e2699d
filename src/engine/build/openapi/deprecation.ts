/**
 * Reads `deprecated` on operations, parameters and properties (OpenAPI 3.1 §4.8.10, §4.8.12, JSON Schema 2020-12 §9.3), with the
 * dates in two common extensions: `x-sunset`, and `x-ms-deprecation` with `date` and `removalDate`.
 */
import { membersOf } from "../../shared/json-object.ts";

/** The dates of deprecation and removal, `YYYY-MM-DD`, if known. */
export type Deprecation = { readonly since?: string; readonly sunset?: string };

/** Returns the dates of the first deprecated node; `undefined` if no node is deprecated. */
export function deprecationOf(nodes: readonly { readonly value: unknown }[]): Deprecation | undefined {
  const found = nodes.map(({ value }) => membersOf(value)).find(({ deprecated }) => deprecated === true);
  if (!found) return undefined;
  const { date, removalDate } = membersOf(found["x-ms-deprecation"]);
  const since = dayOf(date);
  const sunset = dayOf(found["x-sunset"]) ?? dayOf(removalDate);
  return { ...(since !== undefined && { since }), ...(sunset !== undefined && { sunset }) };
}

/** Returns the day of a date or date-time (RFC 3339); `undefined` for any other value. */
function dayOf(value: unknown): string | undefined {
  const [, day] = (typeof value === "string" && /^(\d{4}-\d\d-\d\d)(?:$|[Tt ])/.exec(value)) || [];
  return day !== undefined && !Number.isNaN(Date.parse(day)) ? day : undefined;
}
