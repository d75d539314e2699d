/** What REST's caching headers allow is kept for its caller, and nothing else is (RFC 9111). */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { neverStored } from "../../../../src/engine/runtime/rest/rest-response.ts";
import { against, failureOf } from "./client.ts";
import { http } from "./raw-server.ts";

/** The monotonic clock, which the tests move. */
let clockMs = 0;
beforeEach(() => {
  clockMs = 1_000_000;
  const now = vi.spyOn(performance, "now").mockImplementation(() => clockMs);
  return () => now.mockRestore();
});
function pass(seconds: number): void {
  clockMs += seconds * 1_000;
}

/** An upstream that counts its responses in their bodies, each with `headers`. */
async function serving(headers: Record<string, string>, environment: NodeJS.ProcessEnv = {}) {
  const given = { status: 200, headers, tag: undefined as string | undefined };
  const one = await against((socket, text, count) => {
    const matches = given.tag !== undefined && text.includes(`if-none-match: ${given.tag}`);
    const tagged = given.tag === undefined ? given.headers : { ...given.headers, etag: given.tag };
    if (matches) socket.write(http(304, "", { "content-length": "", "content-type": "", ...tagged }));
    else socket.write(http(given.status, JSON.stringify({ count }), tagged));
  }, environment);
  const read = (caller?: string, others?: Record<string, string>) =>
    one.request(caller, others).get("/things");
  return { ...one, given, read, calls: () => one.server.requests.length };
}

describe("a response is used without a call", () => {
  test.each<[string, Record<string, string>]>([
    ["max-age", { "cache-control": "max-age=60" }],
    ["private, max-age", { "cache-control": "private, max-age=60" }],
    ["max-age and must-revalidate", { "cache-control": "max-age=60, must-revalidate" }],
    ["Max-Age in capitals", { "Cache-Control": "Max-Age=60" }],
    ["two header lines", { "cache-control": "private\r\ncache-control: max-age=60" }],
    ["Expires", { date: "Sun, 22 Nov 2026 10:00:00 GMT", expires: "Sun, 22 Nov 2026 10:01:00 GMT" }],
    ["an age", { "cache-control": "max-age=100", age: "40" }],
    ["Vary of what callers differ by", { "cache-control": "max-age=60", vary: "X-API-Key, Accept-Language" }],
  ])("with %s, until its time is over", async (_name, headers) => {
    const { read, calls } = await serving(headers);
    expect(await read()).toEqual({ count: 1 });
    pass(59);
    expect(await read()).toEqual({ count: 1 });
    expect(calls()).toBe(1);
    pass(2);
    expect(await read()).toEqual({ count: 2 });
  });
});

test.each<[string, Record<string, string>]>([
  ["nothing", {}],
  ["no-store", { "cache-control": "no-store, max-age=60" }],
  ["no-cache", { "cache-control": "no-cache, max-age=60" }],
  ["no lifetime", { "cache-control": "private" }],
  ["Expires in the past", { expires: "0" }],
  ["a date of modification", { "last-modified": "Sun, 22 Nov 2020 10:00:00 GMT" }],
  ["immutable", { "cache-control": "immutable", etag: '"a"' }],
  ["Vary of everything", { "cache-control": "max-age=60", vary: "*" }],
  ["Vary of the request's id", { "cache-control": "max-age=60", vary: "Accept, X-Request-Id" }],
  ["an age beyond it", { "cache-control": "max-age=60", age: "60" }],
  ["an age beyond it, the first of two", { "cache-control": "max-age=60", age: "60, 5" }],
  ["a negative age", { "cache-control": "max-age=60", age: "-86400" }],
  ["an age that is no number", { "cache-control": "max-age=60", age: "1e1" }],
  ["a second max-age", { "cache-control": "max-age=0, max-age=60" }],
  ["a second max-age in another line", { "cache-control": "max-age=0\r\ncache-control: max-age=60" }],
  ["a max-age that is no number", { "cache-control": "max-age=60.5" }],
  ["a max-age inside a quoted text", { "cache-control": 'private="a, max-age=60"' }],
  [
    "a second Expires",
    { expires: "Thu, 01 Jan 1970 00:00:00 GMT\r\nexpires: Fri, 01 Jan 2100 00:00:00 GMT" },
  ],
])("a response with %s is not used without a call", async (_name, headers) => {
  const { read, calls } = await serving(headers);
  await read();
  await read();
  expect(calls()).toBe(2);
});

describe("a stored response is for", () => {
  test.each([
    ["the same key", "other", {}],
    ["the same tenant", "key", { "x-service-tenant-id": "other" }],
    ["the same language", "key", { "accept-language": "pt" }],
  ])("%s only", async (_name, caller, headers) => {
    const { read } = await serving({ "cache-control": "public, max-age=60" });
    expect(await read()).toEqual({ count: 1 });
    expect(await read(caller, headers)).toEqual({ count: 2 });
    expect(await read()).toEqual({ count: 1 });
  });

  test("successes only", async () => {
    const { read, given, calls } = await serving({ "cache-control": "max-age=60" });
    given.status = 404;
    await failureOf(read());
    await failureOf(read());
    expect(calls()).toBe(2);
  });

  test("a caller who has not written since", async () => {
    const { read, request } = await serving({ "cache-control": "max-age=60" });
    await read();
    await request().post("/things", { body: {} });
    expect(await read()).toEqual({ count: 3 });
  });

  test("a caller whose credential REST still takes", async () => {
    const { read, given, request } = await serving({ "cache-control": "max-age=60" });
    await read();
    given.status = 401;
    await failureOf(request().get("/others"));
    expect((await failureOf(read())).code).toBe("UNAUTHENTICATED");
  });

  test("a caller who did not write while the call was under way", async () => {
    const { read, request, given } = await serving({ "cache-control": "max-age=60" });
    given.headers = { "cache-control": "max-age=60" };
    const [, old] = await Promise.all([request().post("/things", { body: {} }), read()]);
    expect(await read()).not.toEqual(old);
  });
});

describe("a response with a validator", () => {
  test("is asked for again on condition, and its value is used again after a 304", async () => {
    const { read, server, given } = await serving({ "cache-control": "max-age=10" });
    given.tag = '"one"';
    await read();
    pass(11);
    expect(await read()).toEqual({ count: 1 });
    expect(server.requests[1]).toContain('if-none-match: "one"');
    expect(await read()).toEqual({ count: 1 });
    expect(server.requests).toHaveLength(2);
    pass(11);
    given.tag = '"two"';
    expect(await read()).toEqual({ count: 3 });
  });

  test("has the lifetime that the 304 brings", async () => {
    const { read, given, calls } = await serving({});
    given.tag = 'W/"one"';
    await read();
    given.headers = { "cache-control": "max-age=60" };
    await read();
    await read();
    expect(calls()).toBe(2);
  });

  test("is as old as the 304 says, and not as the first response was", async () => {
    const { read, given, calls } = await serving({ "cache-control": "max-age=60", age: "50" });
    given.tag = '"one"';
    await read();
    pass(11);
    given.headers = { "cache-control": "max-age=60" };
    await read();
    pass(59);
    await read();
    expect(calls()).toBe(2);
  });

  test("by date is asked for with If-Modified-Since", async () => {
    const date = "Sun, 22 Nov 2020 10:00:00 GMT";
    const { read, server } = await serving({ "last-modified": date });
    await read();
    await read();
    expect(server.requests[1]).toContain(`if-modified-since: ${date}`);
  });

  test("that changes with each response is harmless", async () => {
    const { read, given } = await serving({});
    for (let count = 1; count <= 5; count++) {
      given.tag = `"${count}"`;
      expect(await read()).toEqual({ count });
    }
  });
});

test("a 304 with the tag of another body changes nothing of what is stored", async () => {
  const { given, request, server } = await serving({ "cache-control": "max-age=10", etag: '"one"' });
  const read = () => request().get("/things");
  await read();
  pass(11);
  given.status = 304;
  given.headers = { "cache-control": "max-age=60", etag: '"two"', "content-length": "" };
  for (let count = 0; count < 2; count++) expect(await read()).toEqual({ count: 1 });
  for (const text of server.requests.slice(1)) expect(text).toContain('if-none-match: "one"');
  expect(server.requests).toHaveLength(3);
});

describe("a 304", () => {
  const modified = { "last-modified": "Sun, 22 Nov 2020 10:00:00 GMT" };

  test.each<[string, Record<string, string>, number]>([
    ["without Cache-Control leaves the lifetime that the response had", modified, 2],
    ["with `no-cache` alone ends it", { "cache-control": "no-cache" }, 3],
  ])("%s", async (_name, headers, made) => {
    const { read, given, calls } = await serving({ "cache-control": "max-age=10", ...modified });
    await read();
    pass(11);
    given.status = 304;
    given.headers = { ...headers, "content-length": "" };
    for (let count = 0; count < 2; count++) expect(await read()).toEqual({ count: 1 });
    expect(calls()).toBe(made);
  });

  test("with `no-store` is for its reader, and the response is not kept", async () => {
    const { read, given, request, server } = await serving({ "cache-control": "max-age=10" });
    given.tag = '"one"';
    await read();
    pass(11);
    given.headers = { "cache-control": "no-store" };
    const reader = request();
    expect(await reader.get("/things")).toEqual({ count: 1 });
    expect(reader.freshUntil()).toBe(neverStored);
    expect(await read()).toEqual({ count: 3 });
    expect(server.requests[2]).not.toContain("if-none-match");
  });
});

test("an unsolicited 304 is an invalid response", async () => {
  const { read, given } = await serving({});
  given.status = 304;
  expect((await failureOf(read())).code).toBe("BAD_UPSTREAM_RESPONSE");
});

describe("a stale response is used", () => {
  test("while a call makes it fresh, where REST allows that", async () => {
    const { read, calls } = await serving({ "cache-control": "max-age=10, stale-while-revalidate=30" });
    await read();
    pass(11);
    expect(await read()).toEqual({ count: 1 });
    await vi.waitFor(async () => expect(await read()).toEqual({ count: 2 }));
    expect(calls()).toBe(2);
    pass(41);
    expect(await read()).toEqual({ count: 3 });
  });

  test("instead of a failure, where REST allows that", async () => {
    const { read, given } = await serving({ "cache-control": "max-age=10, stale-if-error=30" });
    await read();
    pass(11);
    given.status = 503;
    expect(await read()).toEqual({ count: 1 });
    pass(41);
    expect((await failureOf(read())).code).toBe("UPSTREAM_UNAVAILABLE");
  });

  test.each(["must-revalidate", "no-cache"])("never with %s", async (directive) => {
    const control = `max-age=10, stale-if-error=30, stale-while-revalidate=30, ${directive}`;
    const { read, given } = await serving({ "cache-control": control });
    await read();
    pass(11);
    given.status = 503;
    await failureOf(read());
  });
});

test("a stored response counts by the memory of its value, not by the length of its JSON", async () => {
  const body = `[${Array(150_000).fill("{}").join()}]`; // 450 kB, and 10 MB as a value
  const { request, server } = await against(
    (socket) => void socket.write(http(200, body, { "cache-control": "max-age=60" })),
  );
  for (let count = 0; count < 2; count++) await request().get("/things");
  expect(server.requests).toHaveLength(2);
});

test("a stored response counts with its headers, and with the headers that each 304 adds", async () => {
  const large = { "cache-control": "max-age=60", "x-large": "a".repeat(20_000) };
  const one = await against((socket, text, count) => {
    const status = text.includes("if-none-match") ? 304 : 200;
    const added = { etag: '"a"', "cache-control": "max-age=0", [`x-${count}`]: "a".repeat(20_000) };
    const headers = text.startsWith("GET /things?tags") ? added : large;
    socket.write(http(status, status === 200 ? "{}" : "", headers));
  });
  const read = (query: object) => one.request().get("/things", { query: { ...query } });
  for (let q = 0; q < 500; q++) await read({ q });
  expect(one.server.requests).toHaveLength(500);
  await read({ q: 0 }); // 500 of 20 kB are more than 8 MiB
  expect(one.server.requests).toHaveLength(501);
  for (let count = 0; count < 500; count++) await read({ tags: ["a"] }); // grows to a caller's part
  expect(one.server.requests).toHaveLength(1_001);
  await read({ q: 499 }); // and leaves no room
  expect(one.server.requests).toHaveLength(1_002);
});

test("the stored responses of a caller are bounded, and the oldest goes first", async () => {
  const large = "a".repeat(2_000_000);
  const { request, server } = await against(
    (socket) => void socket.write(http(200, JSON.stringify({ large }), { "cache-control": "max-age=60" })),
  );
  const read = (q: number) => request().get("/things", { query: { q } });
  for (let q = 0; q < 5; q++) await read(q);
  await read(4);
  expect(server.requests).toHaveLength(5);
  await read(0);
  expect(server.requests).toHaveLength(6);
});
