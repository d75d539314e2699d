/** The option `--expires` of commands that create keys. */
import { ajv } from "../json-schema.ts";
import { CommandRefusal } from "./command-failure.ts";

export const expiryForms = "a day, a time or a number of days: 2027-01-31, 2027-01-31T12:00:00Z, 90d";

/** The latest valid expiry. Expiries are compared as text, so years must have four digits. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Converts a day, a time (RFC 3339), or a number of days from now such as `90d`, to a time in UTC (RFC 3339). A day is converted
 * to its end in UTC. Throws `CommandRefusal` for any other text.
 */
export function readExpiry(given: string, now: Date): string {
  const isDateTime = ajv.compile({ type: "string", format: "date-time" });
  const days = /^([0-9]{1,4})d$/.exec(given)?.[1];
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(given) ? `${given}T23:59:59.999Z` : given;
  const named = isDateTime(time) ? Date.parse(time) : Number.NaN;
  const at = days === undefined ? named : now.getTime() + Number(days) * 86_400_000;
  if (!(at > now.getTime() && at <= latest)) {
    throw new CommandRefusal(
      "--expires: wants a future day or time, such as 2027-01-31 or 2027-01-31T12:00:00Z, or a number of days such as 90d",
    );
  }
  return new Date(at).toISOString();
}
