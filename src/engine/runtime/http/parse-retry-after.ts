/** Parses `Retry-After` (RFC 9110 §10.2.3): seconds, or a date (§5.6.7). */

/** The longest delay: one day. Clients may pass the delay to `setTimeout`, which supports at most 24.8 days. */
const maxSeconds = 86_400;

const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const time = String.raw`\d\d:\d\d:\d\d`;
const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
/** Two of the three formats of a date; the third is `asctime`. `Date.parse` alone would accept other texts, such as `1.5`. */
const dates = [
  new RegExp(String.raw`^${day}, \d\d ${month} \d{4} ${time} GMT$`),
  new RegExp(String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-${month}-\d\d ${time} GMT$`),
];
/** The date format of `asctime`, which is implicitly UTC. */
const asctime = new RegExp(String.raw`^${day} ${month} (?: \d|\d\d) ${time} \d{4}$`);

/** Returns 1 s or more, to prevent immediate retries, but at most a day. Returns `undefined` for a past or invalid date. */
export function retryAfterSeconds(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : secondsUntil(value);
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 1), maxSeconds);
}

function secondsUntil(value: string): number | undefined {
  const date = dates.some((format) => format.test(value))
    ? value
    : asctime.test(value)
      ? `${value} GMT`
      : undefined;
  const seconds = date === undefined ? Number.NaN : Math.ceil((Date.parse(date) - Date.now()) / 1_000);
  return seconds > 0 ? seconds : undefined;
}
