/** The contract of docs/guides/key-introspection.md with a service that is not ours: names, credentials, forms of keys, times. */
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { KeyState } from "../../../src/engine/gateway/key-introspection.ts";
import { KeyVerifier } from "../../../src/engine/gateway/key-verifier.ts";
import { contextOf, goodKey } from "./fakes.ts";
import { startGateway, upstream } from "./start.ts";
import { call, context } from "./verify.ts";

/** As an OAuth server answers: RFC 7662 §2.2's own members, and none of ours. */
const stock = { active: true, sub: "user-1", client_id: "client-1", scope: "read write", exp: null };
const names =
  "tenant_id=client_id,user_id=sub,api_key_id=client_id,key_scopes=scope,roles=,permissions=,features=,teams=";

/** A service that answers all alike, and notes who asked about what. */
async function keyService(answer: unknown) {
  const asked: { authorization: string | undefined; token: string | null }[] = [];
  const url = await upstream(async (request, response) => {
    const token = new URLSearchParams(await text(request)).get("token");
    asked.push({ authorization: request.headers.authorization, token });
    response.end(JSON.stringify(answer));
  });
  return { url, asked };
}

test("a stock server's members become context headers, by a table of names", async () => {
  const keys = await keyService(stock);
  const { url, rest } = await startGateway({
    keyIntrospection: keys.url,
    env: { KEY_INTROSPECTION_NAMES: names, KEY_PATTERN: ".+" },
  });
  expect((await call(url, "eyJhbGciOi.eyJzdWIiOi.c2ln-_=")).status).toBe(200);
  expect(rest.seen[0]?.headers).toMatchObject({
    "x-service-tenant-id": "client-1",
    "x-service-user-id": "user-1",
    "x-service-api-key-id": "client-1",
    "x-service-key-scopes": "read,write",
    "x-service-roles": "",
  });
});

test.each([
  ["gateway:a b:c", `Basic ${Buffer.from("gateway:a%20b%3Ac").toString("base64")}`],
  ["a-token", "Bearer a-token"],
  [undefined, undefined],
])("the credentials %s are sent as %s", async (given, sent) => {
  const keys = await keyService(contextOf("good"));
  const env = given === undefined ? {} : { KEY_INTROSPECTION_CREDENTIALS: given };
  const { url } = await startGateway({ keyIntrospection: keys.url, env });
  await call(url, goodKey);
  expect(keys.asked).toEqual([{ authorization: sent, token: goodKey }]);
});

test("a service that compresses what it may is asked not to", async () => {
  const keys = await upstream((request, response) => {
    const isAny = request.headers["accept-encoding"] === undefined; // RFC 9110 §12.5.3
    const answer = JSON.stringify(contextOf("good"));
    if (isAny) response.setHeader("content-encoding", "gzip");
    response.end(isAny ? gzipSync(answer) : answer);
  });
  const { url } = await startGateway({ keyIntrospection: keys });
  expect((await call(url, goodKey)).status).toBe(200);
});

test("KEY_PATTERN is that of a whole key; what does not match is not looked up", async () => {
  const keys = await keyService(contextOf("good"));
  const { url } = await startGateway({ keyIntrospection: keys.url, env: { KEY_PATTERN: "key-[a-z]{3}" } });
  const statuses = await Promise.all(
    ["key-abc", "key-abcd", "a key-abc", goodKey].map((key) => call(url, key)),
  );
  expect(statuses.map(({ status }) => status)).toEqual([200, 401, 401, 401]);
  expect(keys.asked.map(({ token }) => token)).toEqual(["key-abc"]);
});

test("a key is refused until its nbf", async () => {
  const now = Date.now() / 1_000;
  for (const [nbf, status] of [
    [now + 3_600, 401],
    [now - 3_600, 200],
    [null, 200],
    // as exp, a value that cannot be read lets nobody in
    [String(now - 3_600), 503],
    [true, 503],
    [{}, 503],
  ] as const) {
    const keys = await keyService({ ...contextOf("good"), nbf });
    const { url } = await startGateway({ keyIntrospection: keys.url });
    expect((await call(url, goodKey)).status).toBe(status);
  }
});

describe("while key introspection fails", () => {
  afterEach(() => void vi.useRealTimers());

  /** A verifier whose look-ups are good until `fail`. */
  function failing(times: { KEY_CACHE_MS?: number; KEY_STALE_MS?: number }, validMs = 1e9) {
    vi.useFakeTimers();
    const lookUp = vi.fn(async (): Promise<KeyState> => ({ context, validMs }));
    const keys = new KeyVerifier(lookUp, 60_000, times);
    return {
      keys,
      lookUp,
      ask: () => keys.verify("key", "192.0.2.1"),
      fail: () => lookUp.mockRejectedValue(new Error("down")),
    };
  }

  test("a key that was good is taken for KEY_STALE_MS, asked for again every five seconds, and no longer", async () => {
    const { lookUp, ask, fail } = failing({ KEY_CACHE_MS: 10_000, KEY_STALE_MS: 20_000 });
    await ask();
    fail();
    vi.advanceTimersByTime(10_000);
    for (const asked of [2, 2, 3, 3]) {
      expect(await ask()).toBe(context);
      expect(lookUp).toHaveBeenCalledTimes(asked);
      vi.advanceTimersByTime(2_500);
    }
    vi.advanceTimersByTime(10_000);
    await expect(ask()).rejects.toThrow("down");
  });

  test.each([
    ["without KEY_STALE_MS", {}, 1e9],
    ["beyond the key's expiry", { KEY_STALE_MS: 60_000 }, 25_000],
  ])("no key is taken %s", async (_name, times, validMs) => {
    const { ask, fail } = failing(times, validMs);
    await ask();
    fail();
    vi.advanceTimersByTime(25_000);
    await expect(ask()).rejects.toThrow("down");
  });

  test("no key is taken that was revoked meanwhile", async () => {
    const { keys, ask, fail } = failing({ KEY_STALE_MS: 60_000 });
    await ask();
    fail();
    vi.advanceTimersByTime(25_000);
    keys.forget(new Set([context.apiKeyId]));
    await expect(ask()).rejects.toThrow("down");
  });
});
