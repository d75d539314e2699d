/** Key introspection under load: floods of unknown keys, many new good keys at once, and wrong keys of one address. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { IntrospectKey, KeyState } from "../../../src/engine/gateway/key-introspection.ts";
import { CodedError } from "../../../src/engine/runtime/coded-error.ts";
import { contextOf, goodKey, makeKey, otherKey } from "./fakes.ts";
import { startGateway } from "./start.ts";
import { active, call, context, remember } from "./verify.ts";

describe("400 unknown keys at once", () => {
  const unknown = (index: number): string => `sk_test_${String(index).padStart(32, "a")}`;
  const others = (index: number): string => makeKey(`unknown${index}`);
  const plain = `sk_test_${"g".repeat(32)}`;

  /** A slow service, 400 look-ups of unknown keys from one address, and then the look-up of a good key. */
  const flooded = async (keyAt: (index: number) => string, key: string, owner: string) => {
    const lookUp: IntrospectKey = async (asked, signal) => {
      await sleep(50, undefined, { signal });
      return asked === key ? active : "inactive";
    };
    const verify = remember(lookUp, 950);
    const flood = Array.from({ length: 400 }, (_, index) => verify(keyAt(index)).catch(() => undefined));
    const answer = await verify(key, owner);
    await Promise.all(flood);
    return answer;
  };

  test.each([
    ["without checksums: a good key with one, from the same address", unknown, goodKey, "192.0.2.1"],
    ["without checksums: a good key without, from another address", unknown, plain, "192.0.2.2"],
    ["with checksums: a good key with one, from another address", others, goodKey, "192.0.2.2"],
    ["with checksums: a good key without, from the same address", others, plain, "192.0.2.1"],
  ])("%s is looked up", async (_name, keyAt, key, owner) => {
    expect(await flooded(keyAt, key, owner)).toBe(context);
  });

  test("a key that was good goes before all, also from the same address", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const asked: string[] = [];
    let ms = 0;
    const verify = remember(async (key) => {
      asked.push(key);
      await sleep(ms);
      return key === goodKey ? active : "inactive";
    });
    await verify(goodKey);
    vi.advanceTimersByTime(25_000);
    ms = 20;
    const flood = Array.from({ length: 200 }, (_, index) => verify(others(index)));
    expect(await verify(goodKey)).toBe(context);
    expect(asked.length).toBeLessThan(60);
    await Promise.all(flood);
  });

  test("the wait is bounded: by number, and by time", async () => {
    const refusal = { code: "SERVICE_UNAVAILABLE", details: { retryAfter: 1 } };
    const verify = remember(async (_key, signal) => {
      await once(signal, "abort");
      throw new CodedError("SERVICE_UNAVAILABLE", "not in time", { retryAfter: 1 });
    }, 1_000);
    let settled = 0;
    const first = Array.from({ length: 16 + 1_024 }, async (_, index) => {
      const error = await verify(unknown(index)).catch((refused) => refused);
      settled++;
      return error;
    });
    await expect(verify(unknown(99_999))).rejects.toMatchObject(refusal);
    expect(settled).toBe(0);
    for (const error of await Promise.all(first)) expect(error).toMatchObject(refusal);
  });

  test("through the gateway, a good key is served", async () => {
    const { url, keys } = await startGateway({ env: { KEY_INTROSPECTION_TIMEOUT_MS: "3000" } });
    keys.behaviour.delay = 200;
    const flood = Array.from({ length: 400 }, (_, index) => call(url, unknown(index)));
    await sleep(30);
    expect((await call(url, goodKey)).status).toBe(200);
    await Promise.all(flood);
  });
});

describe("a start with hundreds of new good keys of one address", () => {
  const newKeys = Array.from({ length: 600 }, (_, index) => makeKey(`new${index}x`));

  test("serves each of them", async () => {
    const { url, keys } = await startGateway({ env: { KEY_INTROSPECTION_TIMEOUT_MS: "1000" } });
    keys.behaviour.delay = 50;
    newKeys.forEach((key, index) => void keys.answers.set(key, contextOf(`${index}`)));
    const answers = await Promise.all(newKeys.map((key) => call(url, key)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(keys.peak()).toBeLessThanOrEqual(16);
  });

  test("looks them up in their order, after keys that were good before", async () => {
    const asked: string[] = [];
    const verify = remember(async (key) => {
      asked.push(key);
      await sleep(1);
      return active;
    });
    await Promise.all(newKeys.map((key) => verify(key)));
    expect(asked).toEqual(newKeys);
  });

  test("waits as long as look-ups succeed, and ends soon when none does", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const stuck = Promise.withResolvers<KeyState>();
    let count = 0;
    const verify = remember(async () => {
      if (++count > 48) return stuck.promise;
      await new Promise((resolve) => setTimeout(resolve, 900));
      return active;
    }, 1_000);
    const ends: (number | string)[] = [];
    for (const key of newKeys.slice(0, 80))
      verify(key).then(
        () => ends.push(performance.now()),
        ({ code }) => ends.push(code),
      );
    const began = performance.now();
    await vi.advanceTimersByTimeAsync(3_699);
    expect(ends).toEqual([900, 1_800, 2_700].flatMap((ms) => Array(16).fill(began + ms)));
    await vi.advanceTimersByTimeAsync(2); // the last turn takes a ms of the fake clock
    expect(ends.slice(48)).toEqual(Array(16).fill("SERVICE_UNAVAILABLE"));
    stuck.resolve(active);
  });
});

describe("look-ups that find no good key", () => {
  const wrong = Array.from({ length: 1_000 }, (_, index) => makeKey(`bad${index}x`));

  test("of one address are 600 a minute; good keys, old and new, pass", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const plain = `sk_test_${"g".repeat(32)}`;
    const good = new Set([goodKey, otherKey, plain]);
    const lookUp = vi.fn(async (key: string): Promise<KeyState> => (good.has(key) ? active : "inactive"));
    const verify = remember(lookUp);
    await verify(goodKey);
    const outcomes = async (keys: string[]) => {
      const codes: string[] = [];
      for (const key of keys) codes.push(await verify(key).then(String, ({ code }) => code));
      return codes;
    };
    const first = await outcomes(wrong.slice(0, 700));
    expect(first).toEqual([...Array(600).fill("undefined"), ...Array(100).fill("RATE_LIMITED")]);
    expect(lookUp).toHaveBeenCalledTimes(601);
    vi.advanceTimersByTime(59_999);
    expect(await outcomes([...wrong.slice(700, 720), otherKey])).toEqual(Array(21).fill("RATE_LIMITED"));
    expect(await verify(goodKey)).toBe(context); // it is no longer fresh
    expect(await verify(plain)).toBe(context);
    expect(await verify(otherKey, "192.0.2.2")).toBe(context);
    vi.advanceTimersByTime(1);
    expect(await outcomes(wrong.slice(700, 720))).toEqual(Array(20).fill("undefined"));
  });

  test("are refused by the gateway with Retry-After", async () => {
    const { url } = await startGateway();
    await Promise.all(wrong.slice(0, 620).map((key) => call(url, key)));
    const answers = await Promise.all(wrong.slice(620).map((key) => call(url, key)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(100);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect((await call(url, `sk_test_${"a".repeat(32)}`)).status).toBe(401);
  });
});

test("a flood of wrong keys asks for at most 16 at a time, and good keys keep working", async () => {
  const { url, keys } = await startGateway();
  await call(url, goodKey);
  keys.behaviour.delay = 5;
  const flood = Array.from({ length: 1_000 }, (_, index) => call(url, makeKey(`wrong${index}`)));
  const good = Array.from({ length: 50 }, () => call(url, goodKey));
  expect((await Promise.all(good)).every(({ status }) => status === 200)).toBe(true);
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  expect([401, 429, 503]).toEqual(expect.arrayContaining([...statuses]));
  expect(keys.peak()).toBeLessThanOrEqual(16);
});
