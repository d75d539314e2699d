/**
 * What a caller's costly requests do to another caller, on an event loop that is simulated: work moves the clock, so a busy
 * machine changes nothing. `npm run suite -- two-tenants` measures the same with processes.
 */
import { afterEach, expect, test, vi } from "vitest";
import type { Caller } from "../../../../src/engine/runtime/governor/caller.ts";
import { FairShare, TickWork } from "../../../../src/engine/runtime/governor/processor-share.ts";

type Timer = { at: number; readonly run: () => void };

const nextTurn = globalThis.setImmediate;
let clock = 1_000;
let immediates: (() => void)[] = [];
const timers = new Set<Timer>();
const at = (ms: number, run: () => void): Timer => {
  const timer = { at: clock + ms, run };
  timers.add(timer);
  return timer;
};
vi.spyOn(performance, "now").mockImplementation(() => clock);
vi.stubGlobal("setImmediate", (run: () => void) => void immediates.push(run));
vi.stubGlobal("setTimeout", (run: () => void, ms: number) =>
  Object.assign(at(Math.max(ms, 1), run), { unref: () => {} }),
);
vi.stubGlobal("clearTimeout", (timer: Timer) => timers.delete(timer));

afterEach(() => {
  timers.clear();
  immediates = [];
});

/** Runs the event loop for so many ms. */
async function runLoop(ms: number): Promise<void> {
  for (const end = clock + ms; clock < end; ) {
    const due = [...timers].filter((timer) => timer.at <= clock).sort((a, b) => a.at - b.at);
    const turn = [...due.map(({ run }) => run), ...immediates];
    for (const timer of due) timers.delete(timer);
    immediates = [];
    if (turn.length === 0) clock = Math.min(...[...timers].map((timer) => timer.at));
    for (const run of turn) {
      run();
      await new Promise((resolve) => nextTurn(resolve)); // what the promises do now
    }
  }
}

const answered = (ms: number): Promise<void> => new Promise((resolve) => void at(ms, resolve));

/** A request: one list of pieces of work for each REST call, which takes 2 ms. Returns whether it was answered. */
async function request(share: FairShare, name: string, calls: readonly (readonly number[])[]) {
  const caller: Caller = share.enter(name);
  const waiter = { since: clock, onLeave() {}, ended() {} };
  const stretch = new TickWork();
  const work = async (ms: number): Promise<void> => {
    await share.turnOf(caller, waiter);
    clock += ms;
    share.charge(caller, ms, stretch);
  };
  const call = async (pieces: readonly number[]): Promise<void> => {
    await answered(2);
    for (const ms of pieces) await work(ms);
  };
  try {
    await work(0.8);
    await Promise.all(calls.map(call));
    return true;
  } catch {
    return false;
  } finally {
    caller.leave();
  }
}

/** A client that asks again `pauseMs` after each answer. Returns the ms of each answer. */
function client(share: FairShare, name: string, pauseMs: number): number[] {
  const times: number[] = [];
  const ask = async (sentAt: number): Promise<void> => {
    const isAnswered = await request(share, name, [[0.6], [0.6], [0.6], [0.6]]);
    times.push(isAnswered ? clock - sentAt : Number.POSITIVE_INFINITY);
    const next = clock + pauseMs;
    at(pauseMs, () => ask(next));
  };
  at(0, () => ask(clock));
  return times;
}

const p95 = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
const pieces = (count: number, ms: number): number[] => Array(count).fill(ms);

test.each<[name: string, keys: number, perSecond: number, calls: number[][]]>([
  ["one large list", 1, 20, [[40, ...pieces(100, 2), 40]]],
  ["ten large lists", 1, 20, Array(10).fill([10, ...pieces(20, 2)])],
  ["long work", 1, 20, [[140]]],
  ["short work", 1, 20, Array(20).fill(pieces(5, 2))],
  ["lists of ten keys", 10, 100, [[10, ...pieces(20, 3)]]],
  ["short pieces without a pause, of ten keys", 10, 100, [pieces(350, 0.1), pieces(350, 0.1)]],
  ["large lists of ten keys", 10, 100, [[40, ...pieces(20, 2)]]],
])("%s: the other caller's 95th percentile stays below five times", async (_name, keys, perSecond, calls) => {
  const share = new FairShare();
  const times = client(share, "victim", 20);
  await runLoop(3_000);
  const before = p95(times.splice(0));
  const attack = (index: number): void => {
    void request(share, `key ${index % keys}`, calls);
    at(1_000 / perSecond, () => attack(index + 1));
  };
  attack(0);
  await runLoop(20_000);
  expect(times.length).toBeGreaterThan(400);
  expect(p95(times) / before).toBeLessThan(5);
});

test("ordinary requests of one caller, which take the processor as long as others leave it, are not slowed down", async () => {
  const share = new FairShare();
  const others = client(share, "other", 20);
  const all = Array.from({ length: 6 }, () => client(share, "busy", 14));
  await runLoop(20_000);
  expect([p95(others) < 15, p95(all.flat()) < 15]).toEqual([true, true]);
});
