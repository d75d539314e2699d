/** The circuit breaker, on clocks that the test moves. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  CircuitBreaker,
  type Verdict,
} from "../../../../../src/engine/runtime/rest/upstream/circuit-breaker.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** Makes one call. Returns whether it was admitted, and how. */
function callOnce(breaker: CircuitBreaker, verdict: Verdict, caller = "a") {
  const admission = breaker.admit(caller);
  if (admission) breaker.count(caller, admission, verdict);
  return nameOf(admission);
}
const nameOf = (admission: ReturnType<CircuitBreaker["admit"]>) =>
  admission && (admission.ofAll || admission.ofCaller ? "trial" : "ordinary");
const admit = (breaker: CircuitBreaker, caller = "a") => nameOf(breaker.admit(caller));

/** A breaker that is open for one caller, or by two callers for all. */
function opened(...callers: string[]): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (let call = 0; call < 5; call++) callOnce(breaker, "failed", callers[call % callers.length]);
  return breaker;
}
const kinds = [
  ["of one caller", ["a"]],
  ["of all callers", ["a", "b"]],
] as const;

/** Milliseconds until a trial is admitted, to callers that ask in turn. */
function pauseOf(breaker: CircuitBreaker, verdict: Verdict, callers: readonly string[] = ["a"]): number {
  const from = performance.now();
  for (;;) {
    for (const caller of callers) if (callOnce(breaker, verdict, caller)) return performance.now() - from;
    vi.advanceTimersByTime(1);
  }
}

describe.each(kinds)("the circuit %s", (_of, callers) => {
  test("is opened by five failures in a row, not by four and a success", () => {
    const breaker = new CircuitBreaker();
    const fail = (count: number): void => {
      for (let call = 0; call < count; call++) callOnce(breaker, "failed", callers[call % callers.length]);
    };
    fail(4);
    for (const caller of callers) callOnce(breaker, "worked", caller);
    fail(4);
    callOnce(breaker, "unknown", "a");
    expect(callOnce(breaker, "failed", "a")).toBe("ordinary");
    expect(admit(breaker)).toBeUndefined();
    expect(breaker.isOpen).toBe(callers.length > 1);
  });

  test("admits one trial at a time after a pause, and each failed trial doubles the pause up to 15 s", () => {
    const breaker = opened(...callers);
    for (const ms of [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]) {
      const pause = pauseOf(breaker, "failed", callers);
      expect([pause >= 0.75 * ms - 1, pause <= ms + 1]).toEqual([true, true]);
    }
    vi.advanceTimersByTime(60_000);
    expect(callers.map((caller) => admit(breaker, caller))).toEqual(
      ["trial", undefined].slice(0, callers.length),
    );
    expect(admit(breaker)).toBeUndefined();
  });

  test("is closed by a trial that works, and the next pause has the first length again", () => {
    const breaker = opened(...callers);
    pauseOf(breaker, "failed", callers);
    pauseOf(breaker, "worked", callers);
    for (const caller of callers)
      while (callOnce(breaker, "worked", caller) !== "ordinary") vi.advanceTimersByTime(1);
    for (let call = 0; call < 5; call++)
      expect(callOnce(breaker, "failed", callers[call % callers.length])).toBe("ordinary");
    expect(pauseOf(breaker, "worked", callers)).toBeLessThanOrEqual(101);
  });

  test("admits another trial after one without an outcome", () => {
    const breaker = opened(...callers);
    pauseOf(breaker, "unknown", callers);
    expect([callOnce(breaker, "unknown"), callOnce(breaker, "worked")]).toEqual(["trial", "trial"]);
    expect(admit(breaker)).toBe("ordinary");
  });

  test("is not changed by a call that began before it opened", () => {
    const breaker = new CircuitBreaker();
    const late = breaker.admit("a");
    for (let call = 0; call < 5; call++) callOnce(breaker, "failed", callers[call % callers.length]);
    if (late) breaker.count("a", late, "worked");
    expect(admit(breaker)).toBeUndefined();
  });

  test.each([-3_600_000, 3_600_000])("has the same pauses on a clock that is set by %i ms", (ms) => {
    const breaker = opened(...callers);
    vi.setSystemTime(Date.now() + ms);
    expect(admit(breaker)).toBeUndefined();
    expect(pauseOf(breaker, "worked", callers)).toBeLessThanOrEqual(101);
  });
});

test("however often one caller's calls fail, another caller's are admitted", () => {
  const breaker = opened("a");
  for (let round = 0; round < 100; round++) {
    callOnce(breaker, "failed", "a");
    expect(callOnce(breaker, "worked", "b")).toBe("ordinary");
    vi.advanceTimersByTime(100);
  }
});

test("a single failure of another caller does not open the circuit of all", () => {
  const breaker = new CircuitBreaker();
  for (const caller of ["a", "a", "a", "a", "b", "a"]) callOnce(breaker, "failed", caller);
  expect([breaker.isOpen, admit(breaker, "b"), admit(breaker, "c")]).toEqual([false, "ordinary", "ordinary"]);
});

test("a caller that fails is refused by its own circuit, beside callers whose calls work", () => {
  const breaker = new CircuitBreaker();
  for (let call = 0; call < 5; call++) {
    callOnce(breaker, "failed", "a");
    callOnce(breaker, "worked", "b");
  }
  expect([admit(breaker, "a"), admit(breaker, "b")]).toEqual([undefined, "ordinary"]);
});

test("the trial for all goes to another caller than the one that failed, or to that one after as long again", () => {
  const breaker = opened("a", "b");
  vi.advanceTimersByTime(100);
  expect(callOnce(breaker, "failed", "a")).toBeUndefined(); // the last of the five
  expect(callOnce(breaker, "failed", "c")).toBe("trial");
  vi.advanceTimersByTime(200);
  expect(callOnce(breaker, "failed", "c")).toBeUndefined();
  expect(callOnce(breaker, "worked", "d")).toBe("trial");
  const alone = opened("a", "b");
  vi.advanceTimersByTime(200);
  expect(callOnce(alone, "worked", "a")).toBe("trial");
});

test("what is kept of callers that fail is bounded, and nothing is kept of one whose call works", () => {
  const breaker = opened("a");
  vi.advanceTimersByTime(100);
  callOnce(breaker, "worked", "a");
  for (let call = 0; call < 4; call++) callOnce(breaker, "failed", "a");
  expect(admit(breaker, "a")).toBe("ordinary");
});

test("a service counts as down when one caller's circuit is open and no caller has had a response since", () => {
  const breaker = opened("a");
  expect([breaker.isOpen, breaker.isDown]).toEqual([false, true]);
  callOnce(breaker, "worked", "b");
  expect(breaker.isDown).toBe(false);
  expect(opened("a", "b").isDown).toBe(true);
  expect(new CircuitBreaker().isDown).toBe(false);
});
