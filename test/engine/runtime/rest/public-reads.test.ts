/** The public response to an operation that declares `security: []` is stored once for all callers, and its calls carry none. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { CallerCache, CallerKey } from "../../../../src/engine/runtime/rest/cache/caller-cache.ts";
import { cachedResponses } from "../../../../src/engine/runtime/settings/capacity.ts";
import { against, failureOf, withPublicThings } from "./client.ts";
import { http } from "./raw-server.ts";

/** The monotonic clock, which the tests move. */
let clockMs = 0;
beforeEach(() => {
  clockMs = 1_000_000;
  const now = vi.spyOn(performance, "now").mockImplementation(() => clockMs++);
  return () => now.mockRestore();
});
function pass(seconds: number): void {
  clockMs += seconds * 1_000;
}

type Given = { status: number; headers: Record<string, string>; tag?: string };

/** An upstream that counts its responses in their bodies. */
async function serving(headers: Record<string, string>) {
  const given: Given = { status: 200, headers };
  const one = await against(
    (socket, text, count) => {
      const tagged = { ...given.headers, ...(given.tag !== undefined && { etag: given.tag }) };
      if (given.tag !== undefined && text.includes(`if-none-match: ${given.tag}`))
        socket.write(http(304, "", { "content-length": "", "content-type": "", ...tagged }));
      else socket.write(http(given.status, JSON.stringify({ count }), tagged));
    },
    {},
    "",
    withPublicThings,
  );
  const read = (caller = "a", others?: Record<string, string>, query?: Record<string, string>) =>
    one.request(caller, others).get("/things", query && { query });
  return { ...one, given, read, calls: () => one.server.requests.length };
}

const ofCaller = {
  "x-service-tenant-id": "TENANT",
  "x-gateway-proof": "PROOF",
  traceparent: "00-TRACE",
  "x-request-id": "REQUEST",
};

test("a call carries the language, and nothing else of its caller", async () => {
  const { read, server } = await serving({ "cache-control": "public, max-age=60" });
  await read("KEY", { ...ofCaller, accept: "application/json", "accept-language": "pt" });
  const [first = ""] = server.requests;
  expect(first).not.toMatch(/KEY|TENANT|PROOF|TRACE|REQUEST/);
  const names = [...first.matchAll(/^([\w-]+):/gm)].map(([, name]) => name?.toLowerCase()).sort();
  expect(names).toEqual(["accept", "accept-language", "connection", "host"]);
});

describe("a response is for all callers with", () => {
  test.each([
    ["public", { "cache-control": "public, max-age=60" }],
    ["s-maxage", { "cache-control": "s-maxage=60, max-age=0" }],
    ["Vary of what callers differ by", { "cache-control": "public, max-age=60", vary: "X-API-Key" }],
    ["proxy-revalidate", { "cache-control": "public, max-age=60, proxy-revalidate" }],
  ])("%s, until its time is over", async (_name, headers) => {
    const { read, calls } = await serving(headers);
    for (const caller of ["a", "b", "c"]) expect(await read(caller, ofCaller)).toEqual({ count: 1 });
    pass(58);
    expect(await read("d")).toEqual({ count: 1 });
    pass(2);
    expect(await read("e")).toEqual({ count: 2 });
    expect(calls()).toBe(2);
  });
});

describe("a response is not for all callers", () => {
  test.each([
    ["without public", { "cache-control": "max-age=60" }],
    ["with private", { "cache-control": "private, max-age=60" }],
    ["with public and private", { "cache-control": 'public, private="x", max-age=60' }],
    ["with s-maxage and no-store", { "cache-control": "s-maxage=60, no-store" }],
    ["with a lifetime in Expires alone", { expires: "Fri, 01 Jan 2100 00:00:00 GMT" }],
    ["with Vary of everything", { "cache-control": "public, max-age=60", vary: "*" }],
    ["with Vary of the request's id", { "cache-control": "public, max-age=60", vary: "X-Request-Id" }],
    ["with a public in a quoted text", { "cache-control": 'max-age=60, x="a, public"' }],
  ])("%s", async (_name, headers) => {
    const { read, calls } = await serving(headers);
    await Promise.all([read("a"), read("b")]);
    await read("c");
    expect(calls()).toBe(3);
  });

  test("if the operation does not declare that it needs no credential", async () => {
    const { request, calls } = await serving({ "cache-control": "public, max-age=60" });
    await request("a").get("/others");
    await request("b").get("/others");
    expect(calls()).toBe(2);
  });

  test("of another language, URL or content", async () => {
    const { read } = await serving({ "cache-control": "public, max-age=60", vary: "Accept-Language" });
    expect(await read("a")).toEqual({ count: 1 });
    expect(await read("b", { "accept-language": "pt" })).toEqual({ count: 2 });
    expect(await read("c", {}, { q: "x" })).toEqual({ count: 3 });
    expect(await read("d", { "accept-language": "pt" })).toEqual({ count: 2 });
  });
});

test("s-maxage says nothing about the caches of clients", async () => {
  const { request, calls } = await serving({ "cache-control": "s-maxage=600, max-age=5" });
  const first = request("a");
  const second = request("b");
  await first.get("/things");
  pass(60);
  await second.get("/things");
  expect(calls()).toBe(1);
  expect(first.freshUntil()).toBeLessThan(1_010_000);
  expect(second.freshUntil()).toBeLessThan(1_010_000);
});

describe("a public response", () => {
  test("is made fresh for all by a condition", async () => {
    const { read, given, server } = await serving({ "cache-control": "public, max-age=10" });
    given.tag = '"one"';
    await read("a");
    pass(11);
    expect(await read("b")).toEqual({ count: 1 });
    expect(server.requests[1]).toContain('if-none-match: "one"');
    expect(await read("c")).toEqual({ count: 1 });
    expect(server.requests).toHaveLength(2);
  });

  test("is no longer for all once a 304 says private", async () => {
    const { read, given, calls } = await serving({ "cache-control": "public, max-age=10" });
    given.tag = '"one"';
    await read("a");
    pass(11);
    given.headers = { "cache-control": "private, max-age=60" };
    await read("a");
    await read("a");
    expect(calls()).toBe(2);
    expect(await read("b")).toEqual({ count: 3 });
  });

  test.each([401, 403, 404, 410])("is gone for all after a %i", async (status) => {
    const { read, given } = await serving({ "cache-control": "public, max-age=10, stale-if-error=600" });
    await read("a");
    pass(11);
    given.status = status;
    await failureOf(read("b"));
    given.status = 503;
    expect((await failureOf(read("c"))).code).toBe("UPSTREAM_UNAVAILABLE");
  });

  test.each([
    ["public, max-age=10, stale-if-error=600", true],
    ["s-maxage=10, stale-if-error=600", false],
    ["public, max-age=10, proxy-revalidate, stale-if-error=600", false],
  ])("with %s, may be used for a failure: %s", async (control, isServed) => {
    const { read, given } = await serving({ "cache-control": control });
    await read("a");
    pass(11);
    given.status = 503;
    const outcome = await read("b").catch(() => "failed");
    expect(outcome).toEqual(isServed ? { count: 1 } : "failed");
  });

  test("is not for a caller who has written since, and then a new one is for all", async () => {
    const { read, request } = await serving({ "cache-control": "public, max-age=60" });
    await read("a");
    await request("b").post("/things", { body: {} });
    expect(await read("a")).toEqual({ count: 1 });
    expect(await read("b")).toEqual({ count: 3 });
    expect(await read("a")).toEqual({ count: 3 });
  });
});

test("a list that 5,000 callers ask for is one call, and is stored once", async () => {
  const { read, calls, upstreams } = await serving({ "cache-control": "public, max-age=3600" });
  await read("first");
  const { bytes } = upstreams.cache;
  for (let count = 0; count < 5_000; count++) await read(`${count}`);
  expect(calls()).toBe(1);
  expect(upstreams.cache.bytes).toBe(bytes);
});

describe("the cache of all callers", () => {
  const half = { size: cachedResponses.bytesOfCaller / 2 - 1_000 };
  const reader = (name: string) => ({ identity: `id ${name}\n`, caller: name });

  test("gives a caller no more than its own part for public values", () => {
    const cache = new CallerCache();
    const list = CallerKey.ofAll(reader("a"), "list");
    cache.set(list, half, 1);
    for (let count = 0; count < 40; count++) {
      const key = CallerKey.ofAll(reader("flood"), `${count}`);
      cache.admits(key);
      cache.set(key, half, 1);
    }
    expect(cache.get(list)).toBe(half);
    expect(cache.bytes).toBeLessThanOrEqual(cachedResponses.bytesOfCaller * 1.5);
  });

  test("admits a public value of the second of two callers, when it is nearly full", () => {
    const cache = new CallerCache();
    for (let count = 0; count < 4; count++)
      cache.set(CallerKey.ofAll(reader(`${count}`), `${count}`), half, 1);
    expect(cache.admits(CallerKey.ofAll(reader("a"), "list"))).toBe(false);
    expect(cache.admits(CallerKey.ofAll(reader("b"), "list"))).toBe(true);
  });

  test("has no public value under the key of a caller", () => {
    const cache = new CallerCache();
    cache.set(CallerKey.ofAll(reader("a"), "list"), half, 1);
    expect(cache.get(new CallerKey(reader("a"), "list"))).toBeUndefined();
    expect(cache.get(new CallerKey({ identity: "", caller: "" }, "\nall\nlist"))).toBeUndefined();
  });
});
