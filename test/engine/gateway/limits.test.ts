import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sendRaw } from "../../support/raw-client.ts";
import { goodKey, makeKey, otherKey } from "./fakes.ts";
import { startGateway } from "./start.ts";

const call = (url: URL, key: string): Promise<Response> =>
  fetch(new URL("/v1/identity/me", url), { headers: { "x-api-key": key } });

describe("rate limits", () => {
  const production = { NODE_ENV: "production" };

  test("by key: the request after the last is 429 and says when to come back", async () => {
    const { url, rest } = await startGateway({ env: { ...production, RATE_LIMIT_PER_KEY: "3" } });
    const answers = [];
    for (let index = 0; index < 4; index++) answers.push(await call(url, goodKey));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit")?.replace(/\d+$/, ""))).toEqual(
      ["2", "1", "0", "0"].map((left) => `"key_rate";r=${left};t=`),
    );
    const last = answers[3]!;
    expect(last.headers.get("ratelimit-policy")).toBe('"key_rate";q=3;w=60');
    expect(Number(/t=(\d+)$/.exec(last.headers.get("ratelimit") ?? "")?.[1])).toBeGreaterThan(0);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await last.json()).toMatchObject({ code: "RATE_LIMITED" });
    expect(rest.seen.length).toBe(3);
    expect((await call(url, otherKey)).status).toBe(200);
  });

  test("by address: wrong keys run into it before they are looked up", async () => {
    const { url, keys } = await startGateway({ env: { ...production, RATE_LIMIT_PER_ADDRESS: "5" } });
    const statuses = [];
    for (let index = 0; index < 8; index++) statuses.push((await call(url, makeKey(`wrong${index}`))).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(keys.asked.length).toBe(5);
  });

  test("go by the monotonic clock: setting the wall clock changes no window", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await startGateway({ env: { ...production, RATE_LIMIT_PER_KEY: "1" } });
    expect((await call(url, goodKey)).status).toBe(200);
    for (const hours of [-1, 2]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      const refused = await call(url, goodKey);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    }
  });

  test("a window ends, and another begins", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await startGateway({ env: { ...production, RATE_LIMIT_PER_KEY: "1" } });
    expect((await call(url, goodKey)).status).toBe(200);
    vi.advanceTimersByTime(59_000);
    expect((await call(url, goodKey)).status).toBe(429);
    vi.advanceTimersByTime(1_001);
    expect((await call(url, goodKey)).status).toBe(200);
  });

  test("a client's address is taken from a trusted proxy, and from no one else", async () => {
    const from = (url: URL, address: string): Promise<Response> =>
      fetch(new URL("/v1/identity/me", url), {
        headers: { "x-api-key": goodKey, "x-forwarded-for": address },
      });
    const limit = { ...production, RATE_LIMIT_PER_ADDRESS: "1" };
    const trusting = await startGateway({ env: { ...limit, TRUSTED_PROXIES: "127.0.0.0/8" } });
    expect((await from(trusting.url, "192.0.2.1")).status).toBe(200);
    expect((await from(trusting.url, "192.0.2.2")).status).toBe(200);
    expect((await from(trusting.url, "192.0.2.2")).status).toBe(429);
    expect((await from(trusting.url, "192.0.2.2:4711")).status).toBe(429); // a port makes no other client
    expect((await from(trusting.url, "[2001:db8::1]:1")).status).toBe(200);
    expect((await from(trusting.url, "[2001:db8::2]:2")).status).toBe(429);
    const exactBelow = await startGateway({ env: limit });
    expect((await from(exactBelow.url, "192.0.2.1")).status).toBe(200);
    expect((await from(exactBelow.url, "192.0.2.2")).status).toBe(429);
  });

  test("are off outside production, unless they are set", async () => {
    const limitsOf = async (env: NodeJS.ProcessEnv) => {
      const { url } = await startGateway({ env });
      const answers = [await call(url, goodKey), await call(url, goodKey)];
      return answers.map(({ status, headers }) => [status, headers.get("ratelimit-policy")]);
    };
    expect(await limitsOf({})).toEqual(Array(2).fill([200, null]));
    expect(await limitsOf({ RATE_LIMIT_PER_KEY: "1" })).toEqual([
      [200, '"key_rate";q=1;w=60'],
      [429, '"key_rate";q=1;w=60'],
    ]);
  });
});

describe("headers", () => {
  test("64 pass, the 65th is refused by name", async () => {
    const { url } = await startGateway();
    const own = [`Host: ${url.host}`, `X-API-Key: ${goodKey}`];
    const send = (count: number) => {
      const many = Array.from({ length: count - own.length }, (_, index) => `X-${index}: a`);
      const lines = ["GET /v1/identity/me HTTP/1.1", ...own, ...many];
      return sendRaw(Number(url.port), Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
    };
    expect((await send(64))?.status).toBe(200);
    const refused = await send(65);
    expect(refused?.status).toBe(431);
    expect(JSON.parse(refused?.body ?? "")).toMatchObject({
      code: "LIMIT_EXCEEDED",
      limit: "MAX_HEADERS",
      value: 64,
    });
  });

  test("over MAX_HEADER_BYTES they are refused by name and value", async () => {
    const { url } = await startGateway({ env: { MAX_HEADER_BYTES: "1024" } });
    const lines = ["GET /v1/identity/me HTTP/1.1", `Host: ${url.host}`, `X-Long: ${"a".repeat(4_000)}`];
    const refused = await sendRaw(Number(url.port), Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
    const limit = { limit: "MAX_HEADER_BYTES", value: 1024 };
    expect(JSON.parse(refused?.body ?? "")).toMatchObject({ code: "LIMIT_EXCEEDED", ...limit });
  });
});

describe("CORS", () => {
  const origin = "https://dashboard.example";
  const preflight = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "x-api-key",
  };

  test("a preflight from a listed origin is answered without a key, and answers carry the origin once", async () => {
    const { url, rest } = await startGateway({ env: { CORS_ORIGINS: origin } });
    const answer = await fetch(new URL("/v1/identity/me", url), { method: "OPTIONS", headers: preflight });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-headers")).toBe("x-api-key");
    expect(rest.seen).toEqual([]);
    const headers = { origin, "x-api-key": goodKey };
    const real = await fetch(new URL("/v1/identity/me", url), { headers });
    expect(real.headers.get("access-control-allow-origin")).toBe(origin);
    expect(real.headers.get("vary")).toMatch(/origin/i);
  });

  test("no other origin, and by default none", async () => {
    const listed = await startGateway({ env: { CORS_ORIGINS: origin } });
    const headers = { ...preflight, origin: "https://other.example" };
    const other = await fetch(new URL("/v1/identity/me", listed.url), { method: "OPTIONS", headers });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    const none = await startGateway();
    const answer = await fetch(new URL("/v1/identity/me", none.url), {
      method: "OPTIONS",
      headers: preflight,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});
