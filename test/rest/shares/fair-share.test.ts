/** The waits of callers that share the processor, on a clock that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Account, FairShare } from "../../../src/rest/shares/fair-share.ts";

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["performance", "setImmediate", "clearImmediate", "setTimeout", "clearTimeout"],
  });
  vi.advanceTimersByTime(1_000);
});
afterEach(() => void vi.useRealTimers());

/** A caller that works, and another caller. */
function two() {
  const share = new FairShare();
  const [busy, other] = [share.enter("busy"), share.enter("other")];
  return { share, busy, other };
}

/** Waits for a turn. Notes its time, or the failure's code. */
function begin(share: FairShare, account: Account, kind: "starting" | "going" = "starting") {
  const told: { at?: number; code?: string; retryAfter?: number } = {};
  const wait = share.turnOf(account, kind);
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
  share.worked(only, 1_000);
  expect(share.turnOf(only, "starting")).toBeUndefined();
});

test("a caller is alone again when no other caller has sent a request for a minute", async () => {
  const { share, busy } = two();
  await vi.advanceTimersByTimeAsync(60_000);
  share.worked(busy, 1_000);
  void share.turnOf(busy, "starting")?.catch(() => {});
  expect(begin(share, busy).at).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(share.turnOf(busy, "starting")).toBeUndefined();
});

test("ordinary work leaves a debt of at most 10 ms, makes nobody wait, and schedules nothing", () => {
  const { share, busy } = two();
  for (let call = 0; call < 5; call++) share.worked(busy, 0.3);
  expect(vi.getTimerCount()).toBe(0);
  expect(share.turnOf(busy, "going")).toBeUndefined();
  share.worked(busy, 3.5);
  expect(share.turnOf(busy, "starting")).toBeDefined();
});

test.each([
  [8, 6],
  [20, 90],
  [80, 1_590],
  [140, 1_990],
  [1_000, 1_990],
])("work of %i ms makes its caller wait for %i ms, and nobody else", async (ms, waits) => {
  const { share, busy, other } = two();
  const began = performance.now();
  share.worked(busy, ms);
  const told = begin(share, busy);
  expect(begin(share, other).at).toBe(began);
  await vi.advanceTimersByTimeAsync(waits - 1);
  expect(told.at).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2);
  expect((told.at ?? 0) - began).toBeGreaterThanOrEqual(waits);
});

test("pieces of one turn count as one, pieces of several turns do not", async () => {
  const { share, busy, other } = two();
  const now = performance.now();
  for (let piece = 0; piece < 4; piece++) share.worked(busy, 10);
  for (let piece = 0; piece < 4; piece++, vi.advanceTimersToNextTimer()) share.worked(other, 10);
  expect([busy.paidAt - now, other.paidAt - now]).toEqual([400, 100]);
});

test("a request that has waited two seconds, because earlier requests of its caller worked, is refused", async () => {
  const { share, busy } = two();
  share.worked(busy, 80);
  void share.turnOf(busy, "starting")?.then(() => share.worked(busy, 80));
  const [second, third] = [begin(share, busy), begin(share, busy)];
  await vi.advanceTimersByTimeAsync(3_100);
  expect([second, third]).toEqual([{}, {}]);
  await vi.advanceTimersByTimeAsync(110);
  expect(second.at).toBeDefined();
  expect(third).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfter: expect.any(Number) });
});

test("one request goes on in a turn, and a request under way goes before a new one", async () => {
  const { share, busy } = two();
  share.worked(busy, 8);
  const told = [begin(share, busy), begin(share, busy), begin(share, busy, "going")];
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
