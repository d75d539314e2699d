/** Insights: the metrics of a date range. SQL computes them; this file validates the range and adds the days without rows. */
import { CodedError } from "restbound";
import { type Handler, stringOf } from "../handler.ts";
import type { Row } from "../store/store.ts";

const dayMs = 86_400_000;
const mostDays = 366;
const defaultDays = 30;
/** The earliest date that RFC 3339 can express, because its years have four digits (§5.6). */
const earliest = Date.parse("0000-01-01");

/** The metrics in the order of the response. On a day without messages, a count is 0 and a mean is null. */
const metrics = [
  { name: "messages_received", label: "Messages received", unit: "count" },
  { name: "messages_sent", label: "Messages sent", unit: "count" },
  { name: "messages_failed", label: "Messages that failed", unit: "count" },
  { name: "conversations_started", label: "Conversations started", unit: "count" },
  { name: "active_contacts", label: "Contacts who wrote", unit: "count" },
  { name: "first_response_time", label: "Time to first response", unit: "seconds" },
] as const;

const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Returns the midnights (UTC, in ms) at which the first and the last day of the range begin. Throws `BAD_USER_INPUT` for a range
 * that is empty or too long.
 */
export function dateRange(
  from: string | undefined,
  to: string | undefined,
  now: Date,
): { first: number; last: number } {
  const last = Date.parse(to ?? toDate(now.getTime()));
  const first = from === undefined ? last - (defaultDays - 1) * dayMs : Date.parse(from);
  if (first < earliest) {
    throw new CodedError("BAD_USER_INPUT", "to: the range must not begin before 0000-01-01", {
      argument: "to",
    });
  }
  if (first > last)
    throw new CodedError("BAD_USER_INPUT", "from: must not be after to", { argument: "from" });
  if ((last - first) / dayMs >= mostDays) {
    throw new CodedError("BAD_USER_INPUT", `from: the range may span ${mostDays} days`, { argument: "from" });
  }
  return { first, last };
}

export const getMetrics: Handler = ({ tenant }, { query }) => {
  const { first, last } = dateRange(stringOf(query.from), stringOf(query.to), new Date());
  const from = toDate(first);
  const to = toDate(last);
  const range = { from, until: `${to}T24` }; // not the next day, because 9999-12-31 has none
  const totals = new Map(tenant.all("metricTotals", range).map((row) => [row.name, row.value]));
  const points = new Map(
    tenant.all("metricPoints", range).map((row) => [`${row.name} ${row.day}`, row.value]),
  );
  const days = Array.from({ length: (last - first) / dayMs + 1 }, (_, index) =>
    toDate(first + index * dayMs),
  );
  const { names } = query;
  const wanted = metrics.filter(({ name }) => !Array.isArray(names) || names.includes(name));
  const items = wanted.map((metric) => ({
    ...metric,
    total: valueOr(totals.get(metric.name), metric.unit),
    points: days.map((date) => ({ date, value: valueOr(points.get(`${metric.name} ${date}`), metric.unit) })),
  }));
  return { from, to, items };
};

const valueOr = (value: Row[string] | undefined, unit: "count" | "seconds"): number | null =>
  typeof value === "number" ? value : unit === "count" ? 0 : null;
