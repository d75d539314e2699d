/** API keys at the gateway: what key introspection says of them, and for how long the gateway remembers it. */
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { KeyState } from "../../../src/engine/gateway/key-introspection.ts";
import { contextOf, goodKey, wrongKey } from "./fakes.ts";
import { refusingUrl, secret, startGateway } from "./start.ts";
import { active, call, context, remember } from "./verify.ts";

describe("the answers of key introspection are remembered", () => {
  afterEach(() => void vi.useRealTimers());

  test("a good answer for 25 s, so that a revoked key is refused within 30", async () => {
    vi.useFakeTimers();
    let state: KeyState = active;
    const lookUp = vi.fn(async () => state);
    const verify = remember(lookUp);
    expect(await verify("key")).toBe(context);
    state = "inactive";
    vi.advanceTimersByTime(24_999);
    expect(await verify("key")).toBe(context);
    expect(lookUp).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(await verify("key")).toBeUndefined();
  });

  test("counted from the time of the question, not from the time of the answer", async () => {
    vi.useFakeTimers();
    const lookUp = vi.fn(async () => {
      vi.advanceTimersByTime(900);
      return active;
    });
    const verify = remember(lookUp);
    await verify("key");
    vi.advanceTimersByTime(24_100);
    await verify("key");
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test("a bad answer for 5 s, so that a new key works soon", async () => {
    vi.useFakeTimers();
    let state: KeyState = "inactive";
    const lookUp = vi.fn(async () => state);
    const verify = remember(lookUp);
    expect(await verify("key")).toBeUndefined();
    state = active;
    vi.advanceTimersByTime(4_999);
    expect(await verify("key")).toBeUndefined();
    expect(lookUp).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(await verify("key")).toBe(context);
  });

  test("never beyond the key's expiry", async () => {
    vi.useFakeTimers();
    const lookUp = vi.fn(async (): Promise<KeyState> => ({ context, validMs: 2_000 }));
    const verify = remember(lookUp);
    expect(await verify("key")).toBe(context);
    vi.advanceTimersByTime(2_000);
    lookUp.mockResolvedValue("inactive");
    expect(await verify("key")).toBeUndefined();
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test("on the monotonic clock: setting the wall clock changes nothing", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const lookUp = vi.fn(async (): Promise<KeyState> => ({ context, validMs: 60_000 }));
    const verify = remember(lookUp);
    await verify("key");
    for (const hours of [-1, 2]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      expect(await verify("key")).toBe(context);
    }
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  test("an expired key is refused even if the service still calls it active", async () => {
    const verify = remember(async () => ({ context, validMs: -1 }));
    expect(await verify("key")).toBeUndefined();
  });

  test("a failure is not remembered", async () => {
    const lookUp = vi.fn(async (): Promise<KeyState> => active).mockRejectedValueOnce(new Error("down"));
    const verify = remember(lookUp);
    await expect(verify("key")).rejects.toThrow("down");
    expect(await verify("key")).toBe(context);
  });

  test("look-ups of one key at the same time are one look-up", async () => {
    const lookUp = vi.fn(async () => active);
    const verify = remember(lookUp);
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify("key")));
    expect(lookUp).toHaveBeenCalledTimes(1);
    expect(answers.every((answer) => answer === context)).toBe(true);
  });

  test("50,000 wrong keys do not push a good one out", async () => {
    const lookUp = vi.fn(async (key: string): Promise<KeyState> => (key === "good" ? active : "inactive"));
    const verify = remember(lookUp);
    await verify("good");
    for (let index = 0; index < 50_000; index++) await verify(`wrong ${index}`, `${index}`);
    await verify("good");
    expect(lookUp.mock.calls.filter(([key]) => key === "good").length).toBe(1);
  });
});

describe("key introspection", () => {
  test("is asked by form, with the gateway's proof, once for many requests", async () => {
    const { url, keys } = await startGateway();
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(url, goodKey)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(keys.asked).toEqual([goodKey]);
    expect([...keys.proofs]).toEqual([secret]);
  });

  test("is not asked for what cannot be a key of this environment", async () => {
    const { url, keys } = await startGateway({ env: { API_ENVIRONMENT: "live" } });
    for (const key of [goodKey, "nonsense", `${goodKey}x`]) {
      const answer = await call(url, key);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/Bearer/);
      expect(answer.headers.get("content-type")).toMatch("application/problem+json");
    }
    expect(keys.asked).toEqual([]);
  });

  test("accepts a key as X-API-Key, as bearer, and as both when they agree", async () => {
    const { url } = await startGateway();
    const both = { "x-api-key": goodKey, authorization: `Bearer ${goodKey}` };
    const ways: Record<string, string>[] = [
      { "x-api-key": goodKey },
      { authorization: `bearer ${goodKey}` },
      both,
    ];
    for (const headers of ways) {
      expect((await fetch(new URL("/v1/identity/me", url), { headers })).status).toBe(200);
    }
  });

  test("that is slow: 503 within a second, never a pass", async () => {
    const { url, keys, rest } = await startGateway({ env: { KEY_INTROSPECTION_TIMEOUT_MS: "1000" } });
    const never = Promise.withResolvers<void>();
    onTestFinished(() => never.resolve());
    keys.behaviour.until = never.promise;
    const startedAt = performance.now();
    const answer = await call(url, goodKey);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(rest.seen).toEqual([]);
  });

  test.each([500, 401, 403, 404, 302])("that answers %i: 503, never a pass", async (status) => {
    const { url, keys, rest } = await startGateway();
    keys.behaviour.status = status;
    expect((await call(url, goodKey)).status).toBe(503);
    expect(rest.seen).toEqual([]);
  });

  test("that refuses connections: 503, and a remembered good key stays good", async () => {
    const { url, keys } = await startGateway();
    expect((await call(url, goodKey)).status).toBe(200);
    await keys.close();
    expect((await call(url, goodKey)).status).toBe(200);
    expect((await call(url, wrongKey)).status).toBe(503);
    const refused = await startGateway({ keyIntrospection: await refusingUrl() });
    expect((await call(refused.url, goodKey)).status).toBe(503);
  });

  test.each<[string, unknown]>([
    ["no active", {}],
    ["active that is no boolean", { ...contextOf("a"), active: "true" }],
    ["no tenant", { ...contextOf("a"), tenant_id: "" }],
    ["a tenant that is no string", { ...contextOf("a"), tenant_id: ["a"] }],
    ["roles that are no list", { ...contextOf("a"), roles: "owner" }],
    ["no permissions", { ...contextOf("a"), permissions: undefined }],
    ["exp that is no number", { ...contextOf("a"), exp: "tomorrow" }],
    ["a tenant that no header can hold", { ...contextOf("a"), tenant_id: "\ud800" }],
    ["a role that no header can hold", { ...contextOf("a"), roles: ["\ud800"] }],
    ["nothing", null],
    ["too much", { ...contextOf("a"), roles: ["a".repeat(100_000)] }],
  ])("that answers with %s: 503, never a pass", async (_name, answer) => {
    const { url, keys, rest } = await startGateway();
    keys.answers.set(goodKey, answer ?? "null");
    expect((await call(url, goodKey)).status).toBe(503);
    expect(rest.seen).toEqual([]);
  });
});
