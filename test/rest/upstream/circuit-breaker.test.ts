/** The circuit breaker, on clocks that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CircuitBreaker, type Verdict } from "../../../src/engine/rest/upstream/circuit-breaker.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

function opened(): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (let call = 0; call < 5; call++) callOnce(breaker, "failed");
  return breaker;
}

/** Makes one call. Returns whether it was admitted, and how. */
function callOnce(breaker: CircuitBreaker, verdict: Verdict) {
  const admission = breaker.admit();
  if (admission) breaker.count(admission, verdict);
  return admission;
}

/** Milliseconds until a trial is admitted. */
function pauseOf(breaker: CircuitBreaker, verdict: Verdict): number {
  const from = performance.now();
  while (!callOnce(breaker, verdict)) vi.advanceTimersByTime(1);
  return performance.now() - from;
}

test("five failures in a row open the breaker, four and a success do not", () => {
  const breaker = new CircuitBreaker();
  for (const verdict of ["failed", "failed", "failed", "failed", "worked"] as const)
    callOnce(breaker, verdict);
  for (const verdict of ["failed", "failed", "failed", "failed", "unknown"] as const)
    callOnce(breaker, verdict);
  expect(callOnce(breaker, "failed")).toBe("ordinary");
  expect(breaker.admit()).toBeUndefined();
});

test("one trial at a time is admitted after a pause, and each failed trial doubles the pause up to 15 s", () => {
  const breaker = opened();
  for (const ms of [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]) {
    const pause = pauseOf(breaker, "failed");
    expect([pause >= 0.75 * ms - 1, pause <= ms + 1]).toEqual([true, true]);
  }
  vi.advanceTimersByTime(15_000);
  expect([breaker.admit(), breaker.admit()]).toEqual(["trial", undefined]);
});

test("a successful trial closes the breaker, and the next pause has the first length again", () => {
  const breaker = opened();
  pauseOf(breaker, "failed");
  pauseOf(breaker, "worked");
  for (let call = 0; call < 5; call++) expect(callOnce(breaker, "failed")).toBe("ordinary");
  expect(pauseOf(breaker, "worked")).toBeLessThanOrEqual(101);
});

test("after a trial without an outcome the next call is a trial", () => {
  const breaker = opened();
  pauseOf(breaker, "unknown");
  expect([callOnce(breaker, "unknown"), callOnce(breaker, "worked")]).toEqual(["trial", "trial"]);
  expect(breaker.admit()).toBe("ordinary");
});

test("a call that began before the breaker opened does not change it", () => {
  const breaker = new CircuitBreaker();
  const late = breaker.admit();
  for (let call = 0; call < 5; call++) callOnce(breaker, "failed");
  if (late) breaker.count(late, "worked");
  expect([late, breaker.admit()]).toEqual(["ordinary", undefined]);
});

test.each([-3_600_000, 3_600_000])("a clock that is set by %i ms changes no pause", (ms) => {
  const breaker = opened();
  vi.setSystemTime(Date.now() + ms);
  expect(breaker.admit()).toBeUndefined();
  expect(pauseOf(breaker, "worked")).toBeLessThanOrEqual(101);
});
