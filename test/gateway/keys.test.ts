import { afterEach, describe, expect, test, vi } from "vitest";
import { rememberKeys } from "../../src/gateway/key-cache.ts";
import type { KeyState } from "../../src/gateway/key-introspection.ts";
import type { TenantContext } from "../../src/http/context-headers.ts";
import { contextOf, goodKey, makeKey, wrongKey } from "./fakes.ts";
import { refusingUrl, secret, startGateway } from "./start.ts";

const context: TenantContext = {
  ...{ tenantId: "t", userId: "u", apiKeyId: "k" },
  ...{ roles: [], permissions: [], features: [], keyScopes: [], teams: [] },
};
const active: KeyState = { context, expiresAt: Number.POSITIVE_INFINITY };

describe("what key introspection said is remembered", () => {
  afterEach(() => void vi.useRealTimers());

  test("a good answer for 25 s, so that a revoked key is refused within 30", async () => {
    vi.useFakeTimers();
    let state: KeyState = active;
    const lookUp = vi.fn(async () => state);
    const verify = rememberKeys(lookUp);
    expect(await verify("key")).toBe(context);
    state = "inactive";
    vi.advanceTimersByTime(24_999);
    expect(await verify("key")).toBe(context);
    expect(lookUp).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(await verify("key")).toBeUndefined();
  });

  test("counted from when it was asked, not from when the answer came", async () => {
    vi.useFakeTimers();
    const lookUp = vi.fn(async () => {
      vi.advanceTimersByTime(900);
      return active;
    });
    const verify = rememberKeys(lookUp);
    await verify("key");
    vi.advanceTimersByTime(24_100);
    await verify("key");
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test("a bad answer for 5 s, so that a new key works soon", async () => {
    vi.useFakeTimers();
    let state: KeyState = "inactive";
    const lookUp = vi.fn(async () => state);
    const verify = rememberKeys(lookUp);
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
    const lookUp = vi.fn(async (): Promise<KeyState> => ({ context, expiresAt: Date.now() + 2_000 }));
    const verify = rememberKeys(lookUp);
    expect(await verify("key")).toBe(context);
    vi.advanceTimersByTime(2_000);
    lookUp.mockResolvedValue("inactive");
    expect(await verify("key")).toBeUndefined();
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test("an expired key is refused even if the service still calls it active", async () => {
    const verify = rememberKeys(async () => ({ context, expiresAt: Date.now() - 1 }));
    expect(await verify("key")).toBeUndefined();
  });

  test("a failure is not remembered", async () => {
    const lookUp = vi.fn(async (): Promise<KeyState> => active).mockRejectedValueOnce(new Error("down"));
    const verify = rememberKeys(lookUp);
    await expect(verify("key")).rejects.toThrow("down");
    expect(await verify("key")).toBe(context);
  });

  test("look-ups of one key at the same time are one look-up", async () => {
    const lookUp = vi.fn(async () => active);
    const verify = rememberKeys(lookUp);
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify("key")));
    expect(lookUp).toHaveBeenCalledTimes(1);
    expect(answers.every((answer) => answer === context)).toBe(true);
  });

  test("more than 192 new keys at the same time are refused, not queued; 64 that were good are not", async () => {
    vi.useFakeTimers();
    let held: Promise<KeyState> = Promise.resolve(active);
    const verify = rememberKeys(() => held);
    const known = Array.from({ length: 65 }, (_, index) => `known ${index}`);
    await Promise.all(known.map(verify));
    vi.advanceTimersByTime(25_000);
    let release = (_state: KeyState): void => {};
    held = new Promise<KeyState>((resolve) => {
      release = resolve;
    });
    const refusal = { code: "SERVICE_UNAVAILABLE", details: { retryAfter: 1 } };
    const first = Array.from({ length: 192 }, (_, index) => verify(`key ${index}`));
    await expect(verify("one more")).rejects.toMatchObject(refusal);
    const again = known.slice(1).map(verify);
    await expect(verify("known 0")).rejects.toMatchObject(refusal);
    release(active);
    await Promise.all([...first, ...again]);
    expect(await verify("one more")).toBe(context);
  });

  test("a key that was good and no longer is counts as new", async () => {
    vi.useFakeTimers();
    const lookUp = vi.fn(async (): Promise<KeyState> => active);
    const verify = rememberKeys(lookUp);
    await verify("revoked");
    vi.advanceTimersByTime(25_000);
    lookUp.mockResolvedValue("inactive");
    await verify("revoked");
    vi.advanceTimersByTime(5_000);
    lookUp.mockReturnValue(new Promise(() => {}));
    for (let index = 0; index < 192; index++) void verify(`key ${index}`);
    await expect(verify("revoked")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });

  test("50,000 wrong keys do not push a good one out", async () => {
    const lookUp = vi.fn(async (key: string): Promise<KeyState> => (key === "good" ? active : "inactive"));
    const verify = rememberKeys(lookUp);
    await verify("good");
    for (let index = 0; index < 50_000; index++) await verify(`wrong ${index}`);
    await verify("good");
    expect(lookUp.mock.calls.filter(([key]) => key === "good").length).toBe(1);
  });
});

const call = (url: URL, key: string, path = "/v1/identity/me"): Promise<Response> =>
  fetch(new URL(path, url), { headers: { "x-api-key": key } });

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
    for (const key of [goodKey, "nonsense", `${goodKey}x`, `sk_live_${"a".repeat(32)}`]) {
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

  test("slow: 503 within a second, never a pass", async () => {
    const { url, keys, rest } = await startGateway();
    keys.behaviour.delay = 3_000;
    const startedAt = performance.now();
    const answer = await call(url, goodKey);
    expect(performance.now() - startedAt).toBeLessThan(1_100);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(rest.seen).toEqual([]);
  });

  test.each([500, 401, 403, 404, 302])("answering %i: 503, never a pass", async (status) => {
    const { url, keys, rest } = await startGateway();
    keys.behaviour.status = status;
    expect((await call(url, goodKey)).status).toBe(503);
    expect(rest.seen).toEqual([]);
  });

  test("down: 503, and a key that was good stays good while it is remembered", async () => {
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
    ["nothing", null],
    ["too much", { ...contextOf("a"), roles: ["a".repeat(100_000)] }],
  ])("answering with %s: 503, never a pass", async (_name, answer) => {
    const { url, keys, rest } = await startGateway();
    keys.answers.set(goodKey, answer ?? "null");
    expect((await call(url, goodKey)).status).toBe(503);
    expect(rest.seen).toEqual([]);
  });

  test("a flood of wrong keys asks for at most 16 at a time, and good keys keep working", async () => {
    const { url, keys } = await startGateway();
    await call(url, goodKey);
    keys.behaviour.delay = 5;
    const flood = Array.from({ length: 1_000 }, (_, index) => call(url, makeKey(`wrong${index}`)));
    const good = Array.from({ length: 50 }, () => call(url, goodKey));
    expect((await Promise.all(good)).every(({ status }) => status === 200)).toBe(true);
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
    expect([...statuses].every((status) => status === 401 || status === 503)).toBe(true);
    expect(keys.peak()).toBeLessThanOrEqual(16);
  });
});
