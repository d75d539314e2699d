/** Whose turn is next, and places that callers wait for. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";
import { createCallerQueue, FairQueue } from "../../../../src/engine/runtime/governor/fair-queue.ts";
import { FairSemaphore } from "../../../../src/engine/runtime/governor/fair-semaphore.ts";
import { seed } from "../../../support/seed.ts";

function waiting(names: string) {
  const turns = new FairQueue<string>();
  const begun: string[] = [];
  const all = [...names].map((owner, index) => {
    const turn = { owner, begin: () => void begun.push(`${owner}${index}`) };
    turns.wait(turn);
    return turn;
  });
  return { turns, begun, all };
}

test("owners take turns, and those of one owner come in their order", () => {
  const { turns, begun } = waiting("aaabbc");
  while (turns.next());
  expect(begun).toEqual(["a0", "b3", "c5", "a1", "b4", "a2"]);
  expect([turns.size, turns.has("a")]).toEqual([0, false]);
});

test("a lower order comes first, among equals the one that waits longest", () => {
  const turns = new FairQueue<string>();
  const begun: string[] = [];
  for (const [order, name] of [
    [2, "x"],
    [3, "y"],
    [1, "z"],
    [2, "w"],
  ] as const)
    turns.wait({ owner: "a", order, begin: () => void begun.push(name) });
  while (turns.next());
  expect(begun).toEqual(["z", "x", "w", "y"]);
});

test("an owner that may not is passed over, and keeps its place", () => {
  const { turns, begun } = waiting("abab");
  expect(turns.next((owner) => owner === "b")).toBe(true);
  expect(turns.next(() => false)).toBe(false);
  while (turns.next());
  expect(begun).toEqual(["b1", "a0", "b3", "a2"]);
});

test("a wait that ends has no turn, and ends once", () => {
  const { turns, begun, all } = waiting("ab");
  expect([turns.leave(all[0] as never), turns.leave(all[0] as never)]).toEqual([true, false]);
  while (turns.next());
  expect(begun).toEqual(["b1"]);
});

test("the last of the owner with most can be found, among equals the newcomer's", () => {
  const { turns, all } = waiting("abbcc");
  expect(turns.lastOfMost("c")).toBe(all[4]);
  expect(turns.lastOfMost("a")).toBe(all[2]);
});

test("ten credentials that are combined with ten others have the turns of ten callers", () => {
  const turns = createCallerQueue();
  const present = new PresentCallers();
  const begun: string[] = [];
  const wait = (name: string, ...others: string[]) =>
    turns.wait({ owner: present.enter(name, others), begin: () => void begun.push(name) });
  for (let of = 0; of < 100; of++) wait(`crm ${of % 10}`, `billing ${Math.floor(of / 10)}`);
  for (let of = 0; of < 3; of++) wait("other");
  while (turns.next());
  const places = begun.flatMap((name, at) => (name === "other" ? [at] : []));
  expect(places).toEqual([10, 21, 32]);
});

test("a caller that may not go on holds up no other that shares an account with it", () => {
  const turns = createCallerQueue();
  const present = new PresentCallers();
  const begun: string[] = [];
  const wait = (name: string, ...others: string[]) => {
    const turn = {
      owner: present.enter(name, others),
      begin: () => void begun.push([name, ...others].join()),
    };
    turns.wait(turn);
    return turn.owner;
  };
  const blocked = wait("shared", "a");
  wait("shared", "b");
  const other = wait("shared");
  expect([turns.has(other), turns.has(present.enter("shared", ["c"]))]).toEqual([true, false]);
  while (turns.next((caller) => caller !== blocked));
  expect([begun, turns.has(blocked), [...turns.owners()]]).toEqual([["shared,b", "shared"], true, [blocked]]);
});

test("in any order, each waiter gets a place once the others have left, and no place is lost", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(7), fc.boolean()), { maxLength: 200 }),
      fc.integer({ min: 1, max: 20 }),
      (steps, total) => {
        const present = new PresentCallers();
        const places = new FairSemaphore(total);
        const under: { owner: Caller; begin: () => void; hasPlace: boolean }[] = [];
        for (const [who, leaves] of steps) {
          if (leaves) {
            const one = under.shift();
            if (one) places.leave(one);
            continue;
          }
          const turn = {
            owner: present.enter(`${who}`),
            begin: () => {
              turn.hasPlace = true;
            },
            hasPlace: false,
          };
          turn.hasPlace = places.enter(turn);
          under.push(turn);
          expect(places.quota.used).toBeLessThanOrEqual(total);
          expect(places.quota.used).toBe(under.filter(({ hasPlace }) => hasPlace).length);
        }
        for (let left = under.length; left > 0; left--) {
          const index = under.findIndex(({ hasPlace }) => hasPlace);
          expect(index).toBeGreaterThanOrEqual(0);
          places.leave(under.splice(index, 1)[0] as (typeof under)[number]);
        }
        expect(places.quota.used).toBe(0);
      },
    ),
    { seed },
  );
});

test("work that fails gives its place back", async () => {
  const places = new FairSemaphore(1);
  const caller = new PresentCallers().enter("a");
  const fail = () => places.run(caller, () => Promise.reject(new Error("fails")));
  await Promise.allSettled([fail(), fail()]);
  expect(await places.run(caller, async () => "done")).toBe("done");
});
