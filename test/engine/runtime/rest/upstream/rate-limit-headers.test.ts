/** What responses advertise of a rate limit, in the formats that vendors use. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { advertisedLimits } from "../../../../../src/engine/runtime/rest/upstream/rate-limit-headers.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const limit = (name: string, remaining: number, resetMs: number, others = {}) => ({
  name,
  limit: undefined,
  remaining,
  resetMs,
  windowMs: undefined,
  ...others,
});

test.each([
  [
    "the draft's policies, with their windows",
    {
      "ratelimit-policy": '"burst";q=100;w=60,"daily";q=1000;w=86400',
      ratelimit: '"burst";r=50;t=30, "daily";r=900;t=40000',
    },
    [
      limit('"burst"', 50, 30_000, { limit: 100, windowMs: 60_000 }),
      limit('"daily"', 900, 40_000_000, { limit: 1_000, windowMs: 86_400_000 }),
    ],
  ],
  [
    "several lines, separators in a name, a partition key, and parameters in any order",
    {
      "ratelimit-policy": ['"a;r=0, b";w=60;pk=:Y2RmLW9uZQ==:;q=100', "token;q=5"],
      ratelimit: ['"a;r=0, b";t=30;r=7', "token;r=5;t=1"],
    },
    [
      limit('"a;r=0, b"', 7, 30_000, { limit: 100, windowMs: 60_000 }),
      limit("token", 5, 1_000, { limit: 5 }),
    ],
  ],
  [
    "the window where the time to the reset is absent",
    { "ratelimit-policy": '"a";q=9;w=10', ratelimit: '"a";r=3' },
    [limit('"a"', 3, 10_000, { limit: 9, windowMs: 10_000 })],
  ],
  [
    "the triple of the older drafts, before that with X-",
    {
      "ratelimit-limit": "100, 100;w=60",
      "ratelimit-remaining": "20",
      "ratelimit-reset": "5",
      "x-ratelimit-remaining": "1",
      "x-ratelimit-reset": "1",
    },
    [limit("", 20, 5_000, { limit: 100 })],
  ],
  [
    "GitHub's, with a Unix time and a resource",
    {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4999",
      "x-ratelimit-reset": "1800000060",
      "x-ratelimit-resource": "core",
    },
    [limit("core", 4_999, 60_000, { limit: 5_000 })],
  ],
  [
    "Discord's, with fractions and a bucket",
    {
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "1800000001.500",
      "x-ratelimit-reset-after": "1.5",
      "x-ratelimit-bucket": "abcd1234",
    },
    [limit("abcd1234", 0, 1_500, { limit: 5 })],
  ],
  [
    "a reset in the past",
    { "x-ratelimit-remaining": "1", "x-ratelimit-reset": "1799999999" },
    [limit("", 1, 0)],
  ],
])("reads %s", (_, headers, expected) => {
  expect(advertisedLimits(headers)).toEqual(expected);
});

test.each([
  ["no limit", { "content-type": "application/json" }],
  ["a limit of bytes", { "ratelimit-policy": '"a";q=9;w=1;qu="content-bytes"', ratelimit: '"a";r=0;t=1' }],
  ["no time", { ratelimit: '"a";r=0' }],
  ["a negative rest", { ratelimit: '"a";r=-1;t=1' }],
  ["a negative rest of a triple", { "x-ratelimit-remaining": "-1", "x-ratelimit-reset": "1" }],
  ["a date", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "Tue Feb 16 2027 09:02:42 GMT+0100" }],
  ["milliseconds", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "600000" }],
  ["a Unix time in milliseconds", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000060000" }],
  ["a time of more than a day", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800100000" }],
  ["a header twice", { "x-ratelimit-remaining": ["0", "1"], "x-ratelimit-reset": "1" }],
  ["nonsense", { ratelimit: '";;=,,"r=t;', "ratelimit-policy": "=;=" }],
])("ignores %s", (_, headers) => {
  expect(advertisedLimits(headers)).toEqual([]);
});

test("reads a long field in linear time", () => {
  const began = performance.now();
  for (const text of ['"'.repeat(16_000), '"\\'.repeat(8_000), ";".repeat(16_000), ",".repeat(16_000)])
    advertisedLimits({ ratelimit: `"a"${text}`, "ratelimit-policy": text });
  expect(performance.now() - began).toBeLessThan(1_000);
});
