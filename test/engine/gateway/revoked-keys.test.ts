/** Cached keys while revocations arrive, may have been missed, or are known to be complete again. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { KeyState } from "../../../src/engine/gateway/key-introspection.ts";
import { KeyVerifier } from "../../../src/engine/gateway/key-verifier.ts";
import { keyLookups, revalidations } from "../../../src/engine/runtime/settings/capacity.ts";
import { context } from "./verify.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REDIS_URL = new URL("redis://127.0.0.1");
const stateOf = (key: string): KeyState => ({
  context: { ...context, apiKeyId: `id of ${key}` },
  validMs: Number.POSITIVE_INFINITY,
});

function verifier(times: { KEY_CACHE_MS?: number; KEY_STALE_MS?: number; KEY_UNCONFIRMED_MS?: number } = {}) {
  const lookUp = vi.fn(async (key: string) => stateOf(key));
  const keys = new KeyVerifier(lookUp, 60_000, { KEY_CACHE_MS: 600_000, REDIS_URL, ...times });
  const ask = (key: string) => keys.verify(key, "192.0.2.1");
  const confirm = () => keys.confirm(performance.now());
  const asked = () => lookUp.mock.calls.map(([key]) => key);
  /** The gateway reads the log each second. */
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      confirm();
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  return { keys, lookUp, ask, asked, confirm, advance };
}

describe("while the log is read", () => {
  test("a key is accepted for KEY_CACHE_MS, and no look-up is made for it", async () => {
    const { ask, asked, advance } = verifier();
    await ask("a");
    for (let minute = 0; minute < 9; minute++) {
      await advance(60);
      await ask("a");
    }
    expect(asked()).toEqual(["a"]);
    await advance(60);
    await ask("a");
    expect(asked()).toEqual(["a", "a"]);
  });

  test("a revoked key is looked up again, and no other key", async () => {
    const { keys, lookUp, ask, asked, confirm } = verifier();
    confirm();
    await Promise.all([ask("a"), ask("b"), ask("c")]);
    keys.forget(new Set(["id of a", "id of c", "id of nobody"]));
    lookUp.mockImplementation(async (key) => (key === "a" ? "inactive" : stateOf(key)));
    expect(await ask("a")).toBeUndefined();
    expect(await ask("b")).toBeDefined();
    expect(await ask("c")).toBeDefined();
    expect(asked()).toEqual(["a", "b", "c", "a", "c"]);
  });

  test("a look-up under way is made again if its key is revoked, and only then", async () => {
    const { keys, lookUp, ask, asked } = verifier();
    const answers = new Map<string, (state: KeyState) => void>();
    lookUp.mockImplementation((key) => new Promise((resolve) => void answers.set(key, resolve)));
    const first = ask("a");
    const other = ask("b");
    await vi.advanceTimersByTimeAsync(1);
    keys.forget(new Set(["id of a"]));
    const second = ask("a"); // came after the revocation
    lookUp.mockImplementation(async () => "inactive");
    answers.get("a")?.(stateOf("a"));
    answers.get("b")?.(stateOf("b"));
    expect(await first).toBeUndefined();
    expect(await second).toBeUndefined();
    expect(await other).toBeDefined();
    expect(await ask("b")).toBeDefined();
    expect(asked()).toEqual(["a", "b", "a"]);
  });

  test("thousands of revocations at once leave all other keys cached", async () => {
    const { keys, ask, lookUp, confirm } = verifier();
    confirm();
    for (let index = 0; index < 5_000; index++) await ask(`${index}`);
    const began = process.cpuUsage();
    for (let page = 0; page < 10; page++)
      keys.forget(
        new Set(Array.from({ length: 1_000 }, (_, index) => `id of revoked ${page * 1_000 + index}`)),
      );
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
    for (let index = 0; index < 5_000; index++) await ask(`${index}`);
    expect(lookUp).toHaveBeenCalledTimes(5_000);
  });
});

describe("while the log is not read", () => {
  test.each([
    [undefined, 30],
    [90_000, 90],
  ])(
    "KEY_UNCONFIRMED_MS=%s: a key is accepted for %i s after the last complete read",
    async (ms, seconds) => {
      const { ask, asked, advance } = verifier(ms === undefined ? {} : { KEY_UNCONFIRMED_MS: ms });
      await ask("a");
      await advance(60);
      await vi.advanceTimersByTimeAsync((seconds - 1) * 1_000 - 1);
      const before = asked().length;
      expect(before).toBe(1);
      await ask("a");
      await vi.advanceTimersByTimeAsync(1);
      await ask("a");
      expect(asked()).toHaveLength(2);
    },
  );

  test("KEY_CACHE_MS alone counts without REDIS_URL", async () => {
    const lookUp = vi.fn(async (key: string) => stateOf(key));
    const keys = new KeyVerifier(lookUp, 60_000, { KEY_CACHE_MS: 600_000, KEY_UNCONFIRMED_MS: 30_000 });
    await keys.verify("a", "192.0.2.1");
    await vi.advanceTimersByTimeAsync(599_999);
    await keys.verify("a", "192.0.2.1");
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  test("a read of the log, with nothing missed, extends what was cached before", async () => {
    const { ask, asked, confirm } = verifier();
    confirm();
    await ask("a");
    await vi.advanceTimersByTimeAsync(29_000);
    confirm();
    await vi.advanceTimersByTimeAsync(29_000);
    await ask("a");
    await vi.advanceTimersByTimeAsync(200);
    expect(asked()).toEqual(["a", "a"]); // before its time, in the background
  });

  test("a short failure of Redis costs no look-up", async () => {
    const { ask, asked, confirm } = verifier();
    confirm();
    for (let index = 0; index < 100; index++) await ask(`${index}`);
    for (let second = 0; second < 4; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      for (let index = 0; index < 100; index++) await ask(`${index}`);
    }
    expect(asked()).toHaveLength(100);
  });
});

describe("keys are looked up again before their time", () => {
  const count = 6_000;

  test("at a bounded rate, the most used first, while all are accepted", async () => {
    const { lookUp, ask, confirm } = verifier();
    confirm();
    for (let index = 0; index < count; index++) await ask(`${index}`);
    const used = (index: number): number => (index % 100 === 0 ? 10 : index % 10 === 0 ? 5 : 1);
    confirm();
    lookUp.mockClear();
    const perSecond: number[] = [];
    for (let second = 0; second < 29; second++) {
      for (let index = 0; index < count; index++)
        for (let use = 0; use < used(index); use++) expect(await ask(`${index}`)).toBeDefined();
      const before = lookUp.mock.calls.length;
      await vi.advanceTimersByTimeAsync(1_000);
      perSecond.push(lookUp.mock.calls.length - before);
    }
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(revalidations.perSecond);
    expect(new Set(lookUp.mock.calls.map(([key]) => key)).size).toBeGreaterThan(revalidations.perSecond * 20);
    const order = lookUp.mock.calls.map(([key]) => used(Number(key)));
    expect(order.slice(0, 60)).toEqual(Array(60).fill(10));
    expect(order.slice(60, 600)).toEqual(Array(540).fill(5));
  }, 600_000);

  test("a key that is not used is not looked up", async () => {
    const { ask, asked, confirm } = verifier();
    confirm();
    await ask("idle");
    await ask("used");
    for (let second = 0; second < 60; second++) {
      await ask("used");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(asked().filter((key) => key === "idle")).toHaveLength(1);
    expect(asked().length).toBeGreaterThan(3);
    expect(asked().length).toBeLessThan(20);
  });

  test("never with more look-ups than leave a quarter of the places to requests", async () => {
    const { lookUp, ask, confirm } = verifier();
    confirm();
    for (let index = 0; index < 100; index++) await ask(`${index}`);
    let running = 0;
    let most = 0;
    lookUp.mockImplementation(async (key) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 500));
      running--;
      return stateOf(key);
    });
    for (let second = 0; second < 15; second++) {
      for (let index = 0; index < 100; index++) await ask(`${index}`);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(most).toBe(keyLookups.running * revalidations.part);
  });

  test("a look-up that fails is not repeated at once, and the key stays until its time is over", async () => {
    const { lookUp, ask, confirm } = verifier();
    confirm();
    await ask("a");
    lookUp.mockRejectedValue(new Error("down"));
    for (let second = 0; second < 30; second++) {
      expect(await ask("a")).toBeDefined();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(lookUp.mock.calls.length).toBeLessThan(8);
    await expect(ask("a")).rejects.toThrow("down");
  });

  test("no longer once the log is read again", async () => {
    const { ask, asked, confirm, advance } = verifier();
    confirm();
    for (let index = 0; index < 1_000; index++) await ask(`${index}`);
    await vi.advanceTimersByTimeAsync(6_000);
    for (let index = 0; index < 1_000; index++) await ask(`${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    const before = asked().length;
    expect(before).toBe(1_000 + revalidations.perSecond);
    await advance(60);
    for (let index = 0; index < 1_000; index++) await ask(`${index}`);
    await advance(2);
    expect(asked()).toHaveLength(before);
  });
});

describe("after revocations may have been lost for good", () => {
  test("what was cached before is accepted for 30 s, although the log is read; what is looked up later is not affected", async () => {
    const { keys, ask, asked, advance } = verifier();
    await ask("old");
    await advance(60);
    keys.miss();
    await ask("new");
    await advance(28);
    expect(asked()).toEqual(["old", "new"]);
    await advance(2);
    await ask("old");
    await advance(300);
    await ask("new");
    await ask("old");
    expect(asked()).toEqual(["old", "new", "old"]);
  });

  test("a second loss does not extend the time of the first", async () => {
    const { keys, ask, asked, advance } = verifier();
    await ask("old");
    await advance(60);
    for (let loss = 0; loss < 3; loss++) {
      keys.miss();
      await advance(10);
    }
    await ask("old");
    expect(asked()).toEqual(["old", "old"]);
  });

  test("a look-up that began before is not trusted for longer than 30 s", async () => {
    const { keys, lookUp, ask, asked, advance } = verifier();
    lookUp.mockImplementation(async (key) => {
      await sleep(900);
      return stateOf(key);
    });
    const under = ask("a");
    await advance(0);
    await vi.advanceTimersByTimeAsync(500);
    keys.miss();
    await vi.advanceTimersByTimeAsync(500);
    await under;
    await advance(30);
    const again = ask("a");
    await vi.advanceTimersByTimeAsync(1_000);
    await again;
    expect(asked()).toEqual(["a", "a"]);
  });

  test("keys in use are looked up again before, so that none is refused", async () => {
    const { keys, lookUp, ask, asked, confirm } = verifier();
    confirm();
    for (let index = 0; index < 500; index++) await ask(`${index}`);
    keys.miss();
    for (let second = 0; second < 28; second++) {
      confirm();
      for (let index = 0; index < 500; index++) await ask(`${index}`);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(asked()).toHaveLength(1_000);
    lookUp.mockRejectedValue(new Error("down"));
    confirm();
    await vi.advanceTimersByTimeAsync(5_000);
    for (let index = 0; index < 500; index++) expect(await ask(`${index}`)).toBeDefined();
  });
});

describe("while key introspection fails", () => {
  test("a key is accepted for five minutes while the log is read, and 30 s after its last read", async () => {
    const { lookUp, ask, advance } = verifier({ KEY_CACHE_MS: 25_000 });
    await ask("a");
    lookUp.mockRejectedValue(new Error("down"));
    await advance(320);
    expect(await ask("a")).toBeDefined();
    await advance(6);
    await expect(ask("a")).rejects.toThrow("down");
  });

  test.each([undefined, 3_600_000])("KEY_STALE_MS=%s does not reach beyond the 30 s", async (ms) => {
    const { lookUp, ask, advance } = verifier({ KEY_CACHE_MS: 25_000, ...(ms && { KEY_STALE_MS: ms }) });
    await ask("a");
    lookUp.mockRejectedValue(new Error("down"));
    await advance(60);
    await vi.advanceTimersByTimeAsync(28_999);
    expect(await ask("a")).toBeDefined();
    await vi.advanceTimersByTimeAsync(1);
    await expect(ask("a")).rejects.toThrow("down");
  });
});
