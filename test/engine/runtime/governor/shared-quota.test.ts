/** What callers may hold of a bound together: for any number of them, in any order. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Account, type Caller, PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";
import { SharedQuota } from "../../../../src/engine/runtime/governor/shared-quota.ts";
import { seed } from "../../../support/seed.ts";

const total = 256;
const callersOf = (count: number): Account[] => {
  const present = new PresentCallers();
  return Array.from({ length: count }, (_, index) => present.enter(`caller ${index}`));
};
const takeAll = (bound: SharedQuota, caller: Caller): number => {
  let taken = 0;
  while (!bound.take(caller, 1)) taken++;
  return taken;
};

/** Takes and returns of callers, which name who and how much by numbers. */
const steps = fc.array(
  fc.record({ who: fc.nat(), amount: fc.integer({ min: 1, max: total + 1 }), gives: fc.boolean() }),
  { minLength: 1, maxLength: 400 },
);

test("in any order of 1 to 10,000 callers the total is never passed, and what is held is what was taken", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), steps, (count, given) => {
      const bound = new SharedQuota(total);
      const callers = callersOf(Math.min(count, given.length));
      const held = new Map<Caller, number>();
      for (const { who, amount, gives } of given) {
        const caller = callers[who % callers.length] as Caller;
        const own = held.get(caller) ?? 0;
        if (gives) {
          bound.giveBack(caller, own);
          held.set(caller, 0);
        } else if (!bound.take(caller, amount)) held.set(caller, own + amount);
        expect(bound.used).toBe([...held.values()].reduce((sum, one) => sum + one, 0));
        expect(bound.used).toBeLessThanOrEqual(total);
      }
    }),
    { numRuns: 300, seed },
  );
});

test("whatever callers that hold something take, as many newcomers as an eighth of the total are served", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (count, given) => {
      const bound = new SharedQuota(total);
      const callers = callersOf(count + total / 8);
      for (const { who } of given) bound.take(callers[who % count] as Caller, 1);
      for (const caller of callers.slice(0, count)) takeAll(bound, caller);
      for (const newcomer of callers.slice(count, count + total / 8 - count))
        expect(bound.take(newcomer, 1)).toBeUndefined();
    }),
    { seed },
  );
});

test.each([1, 2, 10, 100, 1_000, 10_000])("%i callers that take all they can keep to the total", (count) => {
  const bound = new SharedQuota(total);
  const taken = callersOf(count).map((caller) => takeAll(bound, caller));
  expect(bound.used).toBeLessThanOrEqual(total);
  expect(taken.filter((one) => one > 0).length).toBeGreaterThanOrEqual(Math.min(count, total / 8));
});

test("a caller that is alone has two thirds, and its share shrinks with the callers that want some", () => {
  const bound = new SharedQuota(total);
  const [greedy, other] = callersOf(2) as [Account, Account];
  expect(takeAll(bound, greedy) / total).toBeCloseTo(2 / 3, 1);
  for (let round = 0; round < 2_000; round++) {
    const caller = round % 2 === 0 ? greedy : other;
    for (const one of [greedy, other]) takeAll(bound, one);
    bound.giveBack(caller, 1); // each gets back what it is entitled to only
  }
  expect(Math.abs(greedy.held(bound) - other.held(bound))).toBeLessThanOrEqual(4);
});

test("a refusal says whether the caller itself or all callers together hold too much", () => {
  const bound = new SharedQuota(total);
  const callers = callersOf(total);
  takeAll(bound, callers[0] as Caller);
  expect(bound.refusal(callers[0] as Caller, 1)).toBe("caller");
  for (const caller of callers) bound.take(caller, 1);
  expect(bound.used).toBe(total);
  expect(bound.refusal(callers[1] as Caller, 1)).toBe("all");
  expect(bound.refusal(callers.at(-1) as Caller, 1)).toBe("all");
});

test("while the total is lower, one that holds much keeps no newcomer out, and as many newcomers as that do", () => {
  const bound = new SharedQuota(256);
  const callers = new PresentCallers();
  const large = callers.enter("large");
  for (let count = 0; count < 150; count++) bound.add(large, 1);
  const newcomers = Array.from({ length: 100 }, (_, index) => callers.enter(`newcomer ${index}`));
  expect(newcomers.map((caller) => bound.take(caller, 1, 100)).indexOf("all")).toBe(99);
  expect(bound.take(large, 1, 100)).toBe("caller");
});

test("what several accounts take together counts once, and each of them holds all of it", () => {
  const bound = new SharedQuota(total);
  const present = new PresentCallers();
  const a = present.enter("a");
  const b = present.enter("b");
  const both = present.enter("a", ["b"]);
  expect(takeAll(bound, both)).toBe(takeAll(new SharedQuota(total), present.enter("alone")));
  expect([a, b].map((account) => account.held(bound))).toEqual([bound.used, bound.used]);
  expect([a, b, present.enter("a", ["other"])].map((caller) => bound.take(caller, 1))).toEqual(
    Array(3).fill("caller"),
  );
  expect(bound.take(present.enter("newcomer"), 1)).toBeUndefined();
});

test("in any order of pairs of 2 to 20 accounts the total is never passed, and a newcomer finds room as before", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), steps, (count, given) => {
      const bound = new SharedQuota(total);
      const present = new PresentCallers();
      const held = new Map<Caller, number>();
      for (const { who, amount, gives } of given) {
        const one = `${who % count}`;
        const other = `other ${(who * 7) % count}`;
        const caller =
          who % 3 === 0
            ? present.enter(one)
            : who % 3 === 1
              ? present.enter(other)
              : present.enter(one, [other]);
        const own = held.get(caller) ?? 0;
        if (gives) {
          bound.giveBack(caller, own);
          held.set(caller, 0);
        } else if (!bound.take(caller, amount)) held.set(caller, own + amount);
        expect(bound.used).toBe([...held.values()].reduce((sum, each) => sum + each, 0));
        expect(bound.used).toBeLessThanOrEqual(total);
        for (const account of caller.accounts)
          expect(account.held(bound)).toBe(
            [...held].reduce((sum, [each, took]) => sum + (each.accounts.includes(account) ? took : 0), 0),
          );
      }
      for (const [caller, own] of held) bound.giveBack(caller, own);
      for (const newcomer of callersOf(total)) expect(bound.take(newcomer, 1)).toBeUndefined();
    }),
    { numRuns: 300, seed },
  );
});

test("callers with two credentials each find as much room as callers with one, also while the total is lower", () => {
  const bound = new SharedQuota(total);
  const present = new PresentCallers();
  const pairs = Array.from({ length: total }, (_, index) =>
    present.enter(`crm ${index}`, [`billing ${index}`]),
  );
  expect(pairs.map((caller) => bound.take(caller, 1, 100)).indexOf("all")).toBe(100);
});
