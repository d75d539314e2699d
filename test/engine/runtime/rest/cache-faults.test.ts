/** Faults of an upstream, and headers that lie: no response crosses to another caller, and nothing grows without bound. */
import type net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CallerCache, CallerKey } from "../../../../src/engine/runtime/rest/cache/caller-cache.ts";
import { cachedResponses, unconfirmedResponses } from "../../../../src/engine/runtime/settings/capacity.ts";
import { randomOf } from "../../../support/random.ts";
import { seed } from "../../../support/seed.ts";
import { against, failureOf } from "./client.ts";
import { http } from "./raw-server.ts";

afterEach(() => void vi.useRealTimers());

type Headers = Record<string, string>;

const keyOf = (text: string): string => /x-api-key: (\S+)/.exec(text)?.[1] ?? "";
const tagIn = (text: string): string | undefined => /if-none-match: (\S+)/.exec(text)?.[1];

/** Headers of responses, honest ones and others. */
const headersOf = (key: string, count: number): Headers[] => [
  {},
  { "cache-control": "max-age=60" },
  { "cache-control": "public, max-age=99999999999999999999999" },
  { "cache-control": "max-age=60", vary: "*" },
  { "cache-control": "max-age=60", vary: "X-API-Key, X-Request-Id" },
  { "cache-control": "max-age=60", "set-cookie": `session=${key}` },
  { "cache-control": "max-age=0, stale-if-error=60", etag: `"${key}-${count}"` },
  { "cache-control": "max-age=0, stale-while-revalidate=60", etag: `W/"${key}-${count}"` },
  { "cache-control": "no-cache", etag: `"${key}-${count}"`, "set-cookie": `session=${key}` },
  { expires: new Date(Date.now() + 60_000).toUTCString(), date: new Date().toUTCString() },
];

test("whatever an upstream does, no caller gets another's response, and all that was held is given back", async () => {
  vi.useFakeTimers({ toFake: ["Date"] }); // the wall clock jumps, and the monotonic clock goes on
  const random = randomOf("cache faults", seed);
  const state = { isCalm: false };
  const foreign: string[] = [];
  const answer = (socket: net.Socket, text: string, count: number): void => {
    const key = keyOf(text);
    const tag = tagIn(text);
    if (/^cookie:/im.test(text)) foreign.push(`${key} sent a cookie`);
    if (tag !== undefined && !tag.includes(`"${key}-`)) foreign.push(`${key} sent the tag ${tag}`);
    const choice = headersOf(key, count);
    const headers = state.isCalm ? {} : (choice[Math.floor(random() * choice.length)] ?? {});
    const good = (): void =>
      void (tag !== undefined && random() < 0.3
        ? socket.write(http(304, "", { "content-length": "", "content-type": "", ...headers }))
        : socket.write(http(200, JSON.stringify({ of: key }), headers)));
    const dice = state.isCalm ? 0 : random();
    if (dice < 0.6) good();
    else if (dice < 0.8) setTimeout(good, random() * 100);
    else if (dice < 0.85) socket.destroy();
    else if (dice < 0.95) socket.write(http(random() < 0.5 ? 503 : 401, "{}", headers));
    // else it hangs
  };
  const { request, upstreams } = await against(answer, {
    CALL_TIMEOUT_MS: "1000",
    MAX_REQUEST_BYTES: "100000",
  });
  const sources = { good: 0, failed: 0 };
  const oneRequest = async (key: string): Promise<void> => {
    const one = request(key);
    const calls = Array.from({ length: 4 }, () =>
      random() < 0.05
        ? one.post("/things", { body: {} })
        : one.get("/things", { query: { q: Math.floor(random() * 3) } }),
    );
    if (random() < 0.05) setTimeout(() => one.leave(), random() * 50);
    if (random() < 0.1) vi.setSystemTime(Math.floor(random() * 4e12));
    for (const outcome of await Promise.allSettled(calls)) {
      if (outcome.status === "rejected") sources.failed++;
      else if ((outcome.value as { of: string }).of !== key)
        foreign.push(`${key} got ${JSON.stringify(outcome.value)}`);
      else sources.good++;
    }
    one.close();
  };
  const poll = async (key: string): Promise<void> => {
    while (sources.good < 2_000) {
      await oneRequest(key);
      await sleep(5); // on a slow machine the circuit breaker may be open for a while
    }
  };
  await Promise.all(Array.from({ length: 60 }, (_, index) => poll(`caller${index % 12}`)));
  expect(foreign).toEqual([]);
  expect(sources.failed).toBeGreaterThan(10);

  state.isCalm = true;
  await vi.waitFor(() => expect(upstreams.callsInFlight).toBe(0), { timeout: 60_000 });
  expect(upstreams.shares.bytes.used).toBe(0);
});

/** The monotonic clock, which a test moves. */
function movingClock() {
  let ms = 1_000_000;
  const now = vi.spyOn(performance, "now").mockImplementation(() => ms);
  return {
    pass: (seconds: number): void => {
      ms += seconds * 1_000;
    },
    [Symbol.dispose]: () => now.mockRestore(),
  };
}

const plain = (value: unknown, headers: Headers): Buffer => http(200, JSON.stringify(value), headers);

test("an upstream that stays dead is bridged as long as REST allows, also while the circuit breaker is open", async () => {
  using clock = movingClock();
  const state = { isUp: true };
  const { request, server } = await against((socket) => {
    if (state.isUp)
      socket.write(plain({ fine: true }, { "cache-control": "max-age=10, stale-if-error=600" }));
    else socket.destroy();
  });
  const read = () => request().get("/things");
  await read();
  state.isUp = false;
  clock.pass(11);
  for (let count = 0; count < 20; count++) expect(await read()).toEqual({ fine: true });
  expect(server.requests.length).toBeLessThan(20); // the circuit breaker is open
  clock.pass(600);
  expect((await failureOf(read())).code).toBe("UPSTREAM_UNAVAILABLE");
});

test("a call that makes a response fresh and hangs is not made again and again, and holds up no reader", async () => {
  using clock = movingClock();
  const { request, server } = await against((socket, _text, count) => {
    if (count === 1)
      socket.write(plain({ count }, { "cache-control": "max-age=10, stale-while-revalidate=60" }));
  });
  const read = () => request().get("/things");
  await read();
  clock.pass(11);
  for (let count = 0; count < 50; count++) expect(await read()).toEqual({ count: 1 });
  await vi.waitFor(() => expect(server.requests).toHaveLength(2));
});

test("readers of an upstream that hangs make few calls, not one each", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { request, server, upstreams } = await against(() => {});
  const readers: Promise<unknown>[] = [];
  for (let ms = 0; ms < 500; ms += 5) {
    for (let reader = 0; reader < 10; reader++) readers.push(failureOf(request().get("/things")));
    vi.advanceTimersByTime(5);
  }
  expect(upstreams.callsInFlight).toBeLessThanOrEqual(8); // after 0, 20, 60, 120 … ms, for 1,000 readers
  vi.advanceTimersByTime(5_000);
  await Promise.all(readers);
  expect(server.requests.length).toBeLessThanOrEqual(8);
});

test.each(["99999999999", "9".repeat(40)])("a max-age of %s is a long time, and a number", async (age) => {
  using clock = movingClock();
  const { request, server } = await against(
    (socket) => void socket.write(plain({}, { "cache-control": `max-age=${age}` })),
  );
  const first = request();
  const later = request();
  await first.get("/things");
  clock.pass(1_000_000);
  await later.get("/things");
  expect(server.requests).toHaveLength(1);
  for (const one of [first, later])
    expect(String(Math.floor((one.freshUntil() - performance.now()) / 1_000))).toMatch(/^\d{9,10}$/);
});

test("an ETag that changes with each response leaves one response, and takes no place from others", async () => {
  const large = "a".repeat(1_000_000);
  const { request, server } = await against((socket, text, count) => {
    const isChanging = text.includes("changing");
    socket.write(
      plain({ count, large }, isChanging ? { etag: `"${count}"` } : { "cache-control": "max-age=3600" }),
    );
  });
  const read = (q: string) => request().get("/things", { query: { q } });
  await read("steady");
  for (let count = 2; count <= 30; count++) expect(await read("changing")).toEqual({ count, large });
  expect(await read("steady")).toEqual({ count: 1, large });
  expect(server.requests).toHaveLength(30);
  const tags = server.requests.map(tagIn).filter(Boolean);
  expect(tags).toEqual(Array.from({ length: unconfirmedResponses.inRow }, (_, index) => `"${index + 2}"`));
});

test("a cookie of REST stays where it is: no call of anybody carries it", async () => {
  const { request, server } = await against(
    (socket, text) =>
      void socket.write(
        plain({ of: keyOf(text) }, { "cache-control": "max-age=60", "set-cookie": "session=CANARY" }),
      ),
  );
  for (const key of ["one", "one", "two"]) expect(await request(key).get("/things")).toEqual({ of: key });
  await request("one").get("/things", { query: { q: "other" } });
  expect(server.requests).toHaveLength(3);
  expect(server.requests.join("")).not.toContain("CANARY");
});

test.each([-1, 1])("a wall clock that jumps by %i year makes no response older or younger", async (years) => {
  using clock = movingClock();
  vi.useFakeTimers({ toFake: ["Date"] });
  const date = new Date();
  const ends = new Date(date.getTime() + 60_000);
  const { request, server } = await against((socket, text) => {
    const expires = { date: date.toUTCString(), expires: ends.toUTCString() };
    socket.write(plain({}, text.includes("expires") ? expires : { "cache-control": "max-age=60" }));
  });
  const readBoth = async (): Promise<number> => {
    for (const q of ["age", "expires"]) await request().get("/things", { query: { q } });
    return server.requests.length;
  };
  expect(await readBoth()).toBe(2);
  vi.setSystemTime(date.getTime() + years * 365 * 86_400_000);
  clock.pass(59);
  expect(await readBoth()).toBe(2);
  clock.pass(2);
  expect(await readBoth()).toBe(4);
});

describe("the store of all callers", () => {
  const { bytes, openBytes, bytesOfCaller, writers } = cachedResponses;
  /** The key of a value of 1 MiB, the key included, of a caller, under one of its identities. */
  const keyOf = (caller: number, identity = caller, own = "key"): CallerKey =>
    new CallerKey({ caller: `${caller}`, identity: `${identity}` }, own);
  const value = { size: 1_048_576 - 20 };
  const later = (): number => performance.now() + 1;
  const keep = (cache: CallerCache, key: CallerKey): void => {
    if (cache.admits(key)) cache.set(key, value, later());
  };
  const count = (cache: CallerCache, keys: CallerKey[]): number =>
    keys.filter((key) => cache.get(key) !== undefined).length;

  test("is bounded, whatever their number, and those who were there first make room", () => {
    const cache = new CallerCache();
    const keys = Array.from({ length: 200 }, (_, caller) => keyOf(caller));
    for (const key of keys) for (let asked = 0; asked < 2; asked++) keep(cache, key);
    const most = bytes / 1_048_576;
    expect(count(cache, keys.slice(0, -most))).toBe(0);
    expect(count(cache, keys.slice(-most))).toBe(most);
  });

  test("keeps what is asked for once up to a part of it, and beyond what is asked for again", () => {
    const cache = new CallerCache();
    const keys = Array.from({ length: 1_000 }, (_, caller) => keyOf(caller));
    for (const key of keys) keep(cache, key);
    expect(count(cache, keys)).toBe(openBytes / 1_048_576 + 1);
    const again = keys.slice(-20);
    for (const key of again) keep(cache, key);
    expect(count(cache, again)).toBeGreaterThanOrEqual(18); // few were displaced by others
    for (const key of Array.from({ length: 25_000 }, (_, caller) => keyOf(-1 - caller))) keep(cache, key);
    for (const key of keys.slice(100, 200)) keep(cache, key); // too long ago
    expect(count(cache, keys.slice(100, 200))).toBeLessThanOrEqual(4);
    expect(count(cache, again)).toBeGreaterThanOrEqual(18);
  });

  test("a caller that asks for very much takes no other's second request from it", () => {
    const cache = new CallerCache();
    for (let caller = 0; caller < 20; caller++) keep(cache, keyOf(caller));
    const others = Array.from({ length: 50 }, (_, caller) => keyOf(caller + 100));
    for (const key of others) keep(cache, key);
    for (let own = 0; own < 100_000; own++) cache.admits(keyOf(0, 0, `${own}`));
    for (const key of others) keep(cache, key);
    expect(count(cache, others)).toBeGreaterThan(40);
  });

  test("has one part for all identities of a caller, so what others keep stays", () => {
    const cache = new CallerCache();
    const others = Array.from({ length: 20 }, (_, caller) => keyOf(caller));
    for (const key of others) for (let asked = 0; asked < 2; asked++) keep(cache, key);
    const own = Array.from({ length: 200 }, (_, identity) => keyOf(100, identity + 100));
    for (const key of own) for (let asked = 0; asked < 2; asked++) keep(cache, key);
    expect(count(cache, own)).toBe(bytesOfCaller / 1_048_576);
    expect(count(cache, others)).toBe(20);
  });

  test("counts the key of each value: its caller and its question", () => {
    const cache = new CallerCache();
    const keys = Array.from({ length: 100 }, (_, caller) => keyOf(caller, caller, "k".repeat(1_000_000)));
    for (const key of keys) cache.set(key, { size: 1 }, later());
    expect(count(cache, keys)).toBeLessThan(34);
  });

  test("holds nothing from before a write, also when the write is long forgotten", () => {
    const cache = new CallerCache();
    const before = performance.now();
    for (let caller = 0; caller <= writers; caller++) cache.drop(`${caller}`);
    cache.set(keyOf(0), { size: 1 }, before);
    expect(cache.get(keyOf(0))).toBeUndefined();
    cache.set(keyOf(0), { size: 1 }, later());
    expect(cache.get(keyOf(0))).toBeDefined();
  });
});
