/** How many keys stay cached while more are in use than fit, and how fast new ones are looked up. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { KeyVerifier } from "../../../src/engine/gateway/key-verifier.ts";
import { active, context } from "./verify.ts";

const size = 1_000;

/** Presents keys for ten times their number, without a pause. Returns the hit rate of the second half. */
async function hitRate(keyOf: (index: number) => number, settings = {}): Promise<number> {
  const keys = new KeyVerifier(async () => active, 1_000, { KEY_CACHE_SIZE: size, ...settings });
  const requests = 20 * size;
  let before = 0;
  for (let index = 0; index < requests; index++) {
    if (index === requests / 2) before = keys.counts.hits;
    await keys.verify(`sk_test_key${keyOf(index)}`, "192.0.2.1");
  }
  return (keys.counts.hits - before) / (requests / 2);
}

/** LRU alone has a hit rate of 0 for the first two, and 2/3 for the third. */
test.each([
  ["1,200 keys in turns", (index: number) => index % 1_200, 0.75],
  ["2,000 keys in turns", (index: number) => index % 2_000, 0.35],
  ["1,200 keys in turns, three requests of each", (index: number) => Math.floor(index / 3) % 1_200, 0.9],
  ["keys that fit", (index: number) => index % 900, 1],
])("with 1,000 cached keys, most of %s are in the cache", async (_name, keyOf, least) => {
  expect(await hitRate(keyOf)).toBeGreaterThanOrEqual(least);
});

test("keys that are no longer used make room for new ones as soon as they are no longer valid", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const keys = new KeyVerifier(async () => active, 1_000, { KEY_CACHE_SIZE: size });
  const all = async (name: string) => {
    for (let index = 0; index < size - 100; index++)
      await keys.verify(`sk_test_${name}${index}`, "192.0.2.1");
  };
  await all("old");
  vi.advanceTimersByTime(25_000);
  await all("new");
  const { misses } = keys.counts;
  await all("new");
  expect(keys.counts.misses).toBe(misses);
});

test("a revoked key is dropped from each part of the cache", async () => {
  const looked = new Map<string, number>();
  const keys = new KeyVerifier(
    async (key) => {
      looked.set(key, (looked.get(key) ?? 0) + 1);
      return { context: { ...context, apiKeyId: key }, validMs: Number.POSITIVE_INFINITY };
    },
    1_000,
    { KEY_CACHE_SIZE: 32 },
  );
  const names = Array.from({ length: 64 }, (_, index) => `sk_test_${index}`);
  for (const name of names) await keys.verify(name, "192.0.2.1");
  keys.forget(new Set(names));
  for (const name of names) await keys.verify(name, "192.0.2.1");
  expect([...looked.values()]).toEqual(names.map(() => 2));
});

test("KEY_LOOKUPS lookups run at once", async () => {
  let running = 0;
  let most = 0;
  const keys = new KeyVerifier(
    async () => {
      most = Math.max(most, ++running);
      await sleep(5);
      running--;
      return active;
    },
    1_000,
    { KEY_LOOKUPS: 50 },
  );
  const names = Array.from({ length: 200 }, (_, index) => `sk_test_${index}`);
  await Promise.all(names.map((name) => keys.verify(name, "192.0.2.1")));
  expect(most).toBe(50);
});
