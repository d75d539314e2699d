/** What `Retry-After` asks for (RFC 9110 §10.2.3), as whole seconds. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { retryAfterSeconds } from "../../../../src/engine/runtime/http/parse-retry-after.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(1994, 10, 6, 8, 49, 30) }));
afterEach(() => void vi.useRealTimers());

test.each<[string, string, number | undefined]>([
  ["seconds", "7", 7],
  ["seconds with zeros before them", "007", 7],
  ["no wait: a second, so that nobody spins", "0", 1],
  ["more seconds than a timer takes: a day", "999999999999", 86_400],
  ["more digits than a number has", "9".repeat(400), 86_400],
  ["a date", "Sun, 06 Nov 1994 08:49:37 GMT", 7],
  ["a date as RFC 850 writes it", "Sunday, 06-Nov-94 08:49:37 GMT", 7],
  ["a date as asctime writes it", "Sun Nov  6 08:49:37 1994", 7],
  ["a far date: a day", "Fri, 31 Dec 9999 23:59:59 GMT", 86_400],
  ["a past date", "Sun, 06 Nov 1994 08:49:29 GMT", undefined],
  ["now", "Sun, 06 Nov 1994 08:49:30 GMT", undefined],
  ["a negative number", "-5", undefined],
  ["a fraction", "1.5", undefined],
  ["a sign", "+5", undefined],
  ["another base", "0x10", undefined],
  ["two values", "7, 9", undefined],
  ["a date of another standard", "1994-11-06T08:50:00Z", undefined],
  ["a date of another time zone", "Sun, 06 Nov 1994 08:49:37 +0100", undefined],
  ["a date that does not exist", "Sun, 66 Nov 1994 08:49:37 GMT", undefined],
  ["a word", "soon", undefined],
  ["nothing", "", undefined],
])("%s: %s", (_name, value, seconds) => expect(retryAfterSeconds(value)).toBe(seconds));

test("an answer without the header gives no hint", () =>
  expect(retryAfterSeconds(undefined)).toBeUndefined());
