/** The waits of callers that share the processor, on a clock that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import type { Caller } from "../../../../src/engine/runtime/governor/caller.ts";
import { FairShare, TickWork } from "../../../../src/engine/runtime/governor/processor-share.ts";

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["performance", "setImmediate", "clearImmediate", "setTimeout", "clearTimeout"],
  });
  vi.advanceTimersByTime(1_000);
});
afterEach(() => void vi.useRealTimers());

/** A request whose client stays. */
const stays = { since: 0, onLeave() {}, ended() {} };

/** A caller that works, and another caller. */
function two() {
  const share = new FairShare();
  const busy = share.enter("busy");
  const other = share.enter("other");
  return { share, busy, other };
}

/** Waits for a turn. Notes its time, or the failure's code. */
function begin(share: FairShare, account: Caller, since = 0) {
  const told: { at?: number; code?: string; retryAfter?: number } = {};
  const wait = share.turnOf(account, { ...stays, since });
  if (!wait) told.at = performance.now();
  wait?.then(
    () => (told.at = performance.now()),
    ({ code, details }) => Object.assign(told, { code, retryAfter: details.retryAfter }),
  );
  return told;
}

test("a caller that is alone never waits, however much it works", () => {
  const share = new FairShare();
  const only = share.enter("only");
  share.charge(only, 1_000);
  expect(share.turnOf(only, stays)).toBeUndefined();
});

test("a caller is alone again when no other caller has sent a request for a minute", async () => {
  const { share, busy } = two();
  await vi.advanceTimersByTimeAsync(60_000);
  share.charge(busy, 1_000);
  void share.turnOf(busy, stays)?.catch(() => {});
  expect(begin(share, busy).at).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(share.turnOf(busy, stays)).toBeUndefined();
});

test("ordinary work leaves a debt of at most 10 ms, and delays no caller", () => {
  const { share, busy } = two();
  for (let call = 0; call < 5; call++) share.charge(busy, 0.3);
  expect(share.turnOf(busy, stays)).toBeUndefined();
  share.charge(busy, 5.5);
  expect(share.turnOf(busy, stays)).toBeDefined();
});

test.each([
  [8, 25],
  [20, 286],
  [30, 930],
  [40, 1_990],
  [1_000, 1_990],
])("work of %i ms makes its caller wait for %i ms, and nobody else", async (ms, waits) => {
  const { share, busy, other } = two();
  const began = performance.now();
  share.charge(busy, ms);
  const told = begin(share, busy);
  expect(begin(share, other).at).toBe(began);
  await vi.advanceTimersByTimeAsync(waits - 1);
  expect(told.at).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2);
  expect((told.at ?? 0) - began).toBeGreaterThanOrEqual(waits);
});

test("work of other threads costs what it takes, however long it is", () => {
  const { share, busy } = two();
  const now = performance.now();
  for (const ms of [20, 40]) share.chargeOtherThread(busy, ms);
  expect(busy.debtClearedAt - now).toBeCloseTo(60);
  share.charge(busy, 10);
  expect(busy.debtClearedAt - now).toBeCloseTo(60 + 10 + 10 ** 3 / 30);
});

test.each([
  ["in turns of their own", true, 4 * (10 + 10 ** 3 / 30)],
  ["in one turn", false, 40 + 40 ** 3 / 30],
])("the work of a request %s of the event loop: pauses %s, debt %d ms", async (_how, pauses, cost) => {
  const { share, busy } = two();
  const stretch = new TickWork();
  const now = performance.now();
  for (let piece = 0; piece < 4; piece++) {
    share.charge(busy, 10, stretch);
    if (pauses) await vi.advanceTimersToNextTimerAsync();
  }
  expect(busy.debtClearedAt - now).toBeCloseTo(Math.min(cost, 1_990));
});

test("a request that has waited two seconds, because earlier requests of its caller worked, is refused", async () => {
  const { share, busy } = two();
  share.charge(busy, 37);
  void share.turnOf(busy, stays)?.then(() => share.charge(busy, 37));
  const second = begin(share, busy);
  await vi.advanceTimersByTimeAsync(1_999);
  const third = begin(share, busy);
  expect(second).toEqual({});
  await vi.advanceTimersByTimeAsync(2); // the last turn takes a ms of the fake clock
  expect(second).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfter: 2 });
  await vi.advanceTimersByTimeAsync(1_499);
  expect(third.at).toBeDefined();
});

test("no response of a request is refused because those before it took a few milliseconds", async () => {
  const { share, busy } = two();
  share.charge(busy, 40);
  const ended: unknown[] = [];
  for (let response = 0; response < 50; response++)
    share.turnOf(busy, stays)?.then(
      () => ended.push(share.charge(busy, 0.1)),
      ({ code }) => ended.push(code),
    );
  await vi.advanceTimersByTimeAsync(2_400);
  expect(ended).toEqual(new Array(50).fill(undefined));
});

test("one request goes on in a turn: the oldest one", async () => {
  const { share, busy } = two();
  share.charge(busy, 8);
  const told = [begin(share, busy, 2), begin(share, busy, 3), begin(share, busy, 1)];
  const begun = (): boolean[] => told.map(({ at }) => at !== undefined);
  const order: boolean[][] = [];
  for (let turn = 0; turn < 20 && !begun().every(Boolean); turn++) {
    vi.advanceTimersToNextTimer();
    await Promise.resolve();
    if (begun().some(Boolean)) order.push(begun());
  }
  expect(order).toEqual([
    [false, false, true],
    [true, false, true],
    [true, true, true],
  ]);
});

test("of a caller's requests, the one that came first goes on first", async () => {
  const { share, busy } = two();
  share.charge(busy, 8);
  const order: number[] = [];
  for (const since of [2, 3, 1, 2])
    void share.turnOf(busy, { ...stays, since })?.then(() => order.push(since));
  await vi.advanceTimersByTimeAsync(100);
  expect(order).toEqual([1, 2, 2, 3]);
});

test("one request resumes at a time, and callers alternate", async () => {
  const { share, busy, other } = two();
  const order: string[] = [];
  share.charge(busy, 8);
  share.charge(other, 8); // the price is multiplied by two debtors
  busy.debtClearedAt = other.debtClearedAt;
  for (const [name, account] of Object.entries({ busy, other }))
    for (let request = 0; request < 2; request++)
      void share.turnOf(account, stays)?.then(() => order.push(name));
  const counts: number[] = [];
  for (let turn = 0; turn < 20 && order.length < 4; turn++) {
    vi.advanceTimersToNextTimer();
    await Promise.resolve();
    if (order.length > 0) counts.push(order.length);
  }
  expect([...new Set(counts)]).toEqual([1, 2, 3, 4]);
  expect(order).toEqual(["busy", "other", "busy", "other"]);
});

test("a wait ends when its client leaves, and the next request is not held up", async () => {
  const { share, busy } = two();
  share.charge(busy, 20);
  let leave: (failure: CodedError) => void = () => {};
  const onLeave = (given: typeof leave): void => {
    leave = given;
  };
  const waiter = { since: 0, onLeave, ended: vi.fn() };
  const wait = share.turnOf(busy, waiter);
  const next = begin(share, busy);
  leave(new CodedError("CLIENT_CLOSED_REQUEST", "left"));
  await expect(wait).rejects.toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
  expect(waiter.ended).toHaveBeenCalledWith(leave);
  await vi.advanceTimersByTimeAsync(288);
  expect(next.at).toBeDefined();
});

test("work of a caller with two credentials is owed by the owners of both, who wait with any other credential", async () => {
  const { share, other } = two();
  const both = share.enter("a", ["b"]);
  const now = performance.now();
  share.charge(both, 20);
  const owed = [share.enter("a"), share.enter("b"), share.enter("a", ["c"])];
  const told = [both, ...owed].map((caller) => begin(share, caller));
  expect([begin(share, other).at, begin(share, share.enter("c")).at]).toEqual([now, now]);
  await vi.advanceTimersByTimeAsync(285);
  expect(told).toEqual([{}, {}, {}, {}]);
  await vi.advanceTimersByTimeAsync(10);
  expect(told.every(({ at }) => at !== undefined)).toBe(true);
});

test("a caller with two credentials pays the price of one debtor", () => {
  const { share, busy } = two();
  const both = share.enter("a", ["b"]);
  const now = performance.now();
  share.charge(busy, 20);
  share.charge(both, 20);
  const once = busy.debtClearedAt - now;
  for (const account of both.accounts) expect(account.debtClearedAt - now).toBeCloseTo(2 * once);
});

test("a request waits no longer because of one that shares a credential with it", async () => {
  const { share } = two();
  share.charge(share.enter("a"), 8);
  share.charge(share.enter("b"), 40);
  const waits = begin(share, share.enter("a", ["b"]), 1);
  const mayGo = begin(share, share.enter("a", ["c"]), 2);
  await vi.advanceTimersByTimeAsync(60);
  expect([waits.at, mayGo.at]).toEqual([undefined, expect.any(Number)]);
});

/** Milliseconds of work in ten seconds of callers that always have two requests waiting, in pieces of `ms`. */
async function workOf(callers: number, ms: number): Promise<{ all: number; least: number }> {
  const share = new FairShare();
  const works = new Map<Caller, number>();
  const goOn = (account: Caller): void => {
    const work = (): void => {
      works.set(account, (works.get(account) ?? 0) + ms);
      share.charge(account, ms);
      goOn(account);
    };
    const wait = share.turnOf(account, stays);
    if (wait) wait.then(work, () => goOn(account));
    else setImmediate(work);
  };
  share.enter("other");
  for (let index = 0; index < callers; index++) {
    const account = share.enter(`busy ${index}`);
    for (let request = 0; request < 2; request++) goOn(account);
  }
  await vi.advanceTimersByTimeAsync(10_000);
  const each = [...works.values()];
  return { all: each.reduce((sum, one) => sum + one, 0), least: Math.min(...each) };
}

test.each([6, 20, 140])("ten callers with work of %i ms get what one gets, and share it", async (ms) => {
  const one = await workOf(1, ms);
  const ten = await workOf(10, ms);
  const begun = 10 * 2 * ms; // the first requests of each, before anybody is in debt
  expect(ten.all).toBeLessThanOrEqual(1.5 * one.all + begun);
  expect(ten.least).toBeGreaterThanOrEqual(ms);
});
