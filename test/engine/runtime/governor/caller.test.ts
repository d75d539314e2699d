/** A caller is one object while something of it is under way, and while it owes. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("requests of one name are one caller, until the last has left", () => {
  const callers = new PresentCallers();
  const first = callers.enter("a");
  const second = callers.enter("a");
  expect([second, callers.enter("b")]).toEqual([first, expect.not.objectContaining({ name: "a" })]);
  first.leave();
  expect(callers.enter("a")).toBe(first);
  for (const one of [first, second]) one.leave();
  expect(callers.enter("a")).not.toBe(first);
});

test("a caller that leaves in debt is found with its debt, and forgotten once it has paid", () => {
  const callers = new PresentCallers();
  const debtor = callers.enter("a");
  debtor.debtClearedAt = performance.now() + 1_000;
  debtor.leave();
  expect(callers.enter("a")).toBe(debtor);
  debtor.leave();
  vi.advanceTimersByTime(1_001);
  callers.enter("b");
  expect(callers.enter("a")).not.toBe(debtor);
});

test("10,000 callers in debt are remembered, and one more pushes out the first", () => {
  const callers = new PresentCallers();
  const debtors = Array.from({ length: 10_002 }, (_, index) => {
    const caller = callers.enter(`${index}`);
    caller.debtClearedAt = performance.now() + 60_000;
    caller.leave();
    return caller;
  });
  callers.enter("another");
  expect(callers.enter("0")).not.toBe(debtors[0]);
  expect(callers.enter("10001")).toBe(debtors[10_001]);
});

test("a caller of several accounts is one object while it is there, and each account outlives it in debt", () => {
  const callers = new PresentCallers();
  const both = callers.enter("a", ["b"]);
  const alone = callers.enter("b");
  expect([callers.enter("a", ["b"]), both.accounts[1]]).toEqual([both, alone]);
  alone.leave();
  both.leave();
  both.leave();
  const next = callers.enter("a", ["b"]);
  expect([next === both, next.accounts[0] === both.accounts[0]]).toEqual([false, false]);
  next.accounts[0].debtClearedAt = performance.now() + 1_000;
  next.leave();
  expect(callers.enter("a")).toBe(next.accounts[0]);
  expect(callers.enter("b")).not.toBe(next.accounts[1]);
});
