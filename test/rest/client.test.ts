/** The REST client of one request: what it sends, what it makes of answers, and what it does when they fail. */
import { describe, expect, onTestFinished, test } from "vitest";
import { CodedError } from "../../src/errors.ts";
import { RestClient, Upstreams } from "../../src/rest/client.ts";
import type { Operation } from "../../src/rest/operation.ts";
import { Scope } from "../../src/rest/scope.ts";
import { configure } from "../graphql/configure.ts";
import { type Answer, http, rawServer } from "./raw-server.ts";

const operations: Record<string, Operation> = {
  "GET /things": {
    id: "listThings",
    product: "A",
    style: {
      "query:ids": { style: "form", explode: false },
      "query:tags": { style: "pipeDelimited", explode: false },
      "query:filter": { style: "deepObject", explode: true },
      "query:form": { style: "form", explode: true },
      "query:flat": { style: "form", explode: false },
      "query:page": { style: "form", explode: false },
      "header:X-Trace": { style: "simple", explode: true },
    },
  },
  "GET /things/{thingId}": { id: "getThing", product: "A" },
  "GET /others": { id: "listOthers", product: "B" },
  "POST /things": { id: "makeThing", product: "A" },
  "DELETE /things/{thingId}": { id: "dropThing", product: "A", empty: true },
};

/** Clients of requests to one upstream that answers as told; `prefix` is its base URL's path. */
async function against(answer: Answer, environment: NodeJS.ProcessEnv = {}, prefix = "") {
  const server = await rawServer(answer);
  const config = configure({ CALL_TIMEOUT_MS: "2000", ...environment });
  const upstreams = new Upstreams(config, new URL(prefix, server.url), operations);
  onTestFinished(() => upstreams.close());
  const request = (caller = "key") => {
    const scope = new Scope(config, { headers: { "x-api-key": caller, "x-request-id": "id" }, caller });
    return Object.assign(new RestClient(operations, upstreams, scope), { leave: () => scope.leave() });
  };
  return { server, request, upstreams, rest: request() };
}

const ok =
  (value: unknown): Answer =>
  (socket) =>
    void socket.write(http(200, JSON.stringify(value)));
const status =
  (code: number, headers: Record<string, string> = {}, body = '{"detail":"CANARY"}'): Answer =>
  (socket) =>
    void socket.write(http(code, body, { "content-type": "application/problem+json", ...headers }));
const failureOf = (call: Promise<unknown>): Promise<CodedError> =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(CodedError);
      expect((error as CodedError).message).not.toMatch(/CANARY|127\.0\.0\.1/);
      return error as CodedError;
    },
  );
const pathsOf = (requests: string[]): string[] => requests.map((text) => text.split(" ")[1] ?? "");

describe("a request", () => {
  test("keeps the base URL's path, writes each parameter in its style, and carries the caller's headers", async () => {
    const { rest, server } = await against(ok({ items: [1] }), {}, "/base/");
    const query = { ids: ["a,b", "c"], tags: ["x", "y z"], filter: { from: "1&2" }, none: null, q: "ä/?#" };
    expect(await rest.get("/things", { query }, "items")).toEqual([1]);
    const [head = ""] = server.requests;
    expect(head.split("\r\n")[0]).toBe(
      "GET /base/things?ids=a%2Cb,c&tags=x|y%20z&filter[from]=1%262&q=%C3%A4%2F%3F%23 HTTP/1.1",
    );
    expect(head).toMatch(/\r\nx-api-key: key\r\n/);
  });

  test("leaves out what is null or absent in an object, as it does beside it", async () => {
    const { rest, server } = await against(ok({}));
    const query = {
      filter: { a: null, b: 0, c: undefined },
      page: { after: null, size: 1 },
      q: { d: "", e: null },
    };
    await rest.get("/things", { query, header: { "X-Trace": { span: "s", parent: null } } });
    await rest.get("/things", { query: { filter: { a: null }, page: { after: null }, q: {} } });
    expect(pathsOf(server.requests)).toEqual(["/things?filter[b]=0&page=size,1&d=", "/things"]);
    expect(server.requests[0]).toMatch(/\r\nx-trace: span=s\r\n/i);
  });

  test.each(["", ".", "..", "a\nb", "\u0000", "\ud800", null, [[]], [["a", ".."]]])(
    "never takes the path value %j",
    async (thingId) => {
      const { rest, server } = await against(ok({}));
      const failure = await failureOf(rest.get("/things/{thingId}", { path: { thingId } }));
      expect(failure).toMatchObject({ code: "BAD_USER_INPUT", details: { argument: "thingId" } });
      expect(server.requests).toEqual([]);
    },
  );

  test.each([
    ["a/b", "/things/a%2Fb"],
    ["a?x=1#y", "/things/a%3Fx%3D1%23y"],
    ["%2e%2e", "/things/%252e%252e"],
    ["...", "/things/..."],
  ])("keeps the path value %j in its segment", async (thingId, path) => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things/{thingId}", { path: { thingId } });
    expect(pathsOf(server.requests)).toEqual([path]);
  });

  test("refuses header values that would add another header, and text that is half a character", async () => {
    const { rest, server } = await against(ok({}));
    const header = { "Idempotency-Key": "a\r\nx-service-tenant-id: b" };
    expect(await failureOf(rest.post("/things", { header, body: {} }))).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { argument: "Idempotency-Key" },
    });
    expect(await failureOf(rest.get("/things", { query: { q: "\ud800" } }))).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { argument: "q" },
    });
    expect(server.requests).toEqual([]);
  });

  test("makes identical reads once, until a write makes them old", async () => {
    const { rest, server } = await against(ok({ items: [] }));
    await Promise.all([rest.get("/things"), rest.get("/things", {}, "items"), rest.find("/things")]);
    await rest.get("/things");
    expect(server.requests).toHaveLength(1);
    await Promise.all([rest.post("/things", { body: {} }), rest.post("/things", { body: {} })]);
    expect(server.requests).toHaveLength(3);
    await rest.get("/things");
    expect(pathsOf(server.requests)).toHaveLength(4);
  });

  test("parses an answer once, also one of unknown length", async () => {
    const { rest } = await against((socket) =>
      socket.write(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      ),
    );
    const [one, other] = await Promise.all([rest.get("/things"), rest.get("/things")]);
    expect(one).toEqual({});
    expect(other).toBe(one);
  });

  test.each([
    [["a", "b-1", "c_2.~"], "ids=a,b-1,c_2.~"],
    [["a", "b&x=1"], "ids=a,b%26x%3D1"],
    [["", "a"], "ids=,a"],
    [[1, 2], "ids=1,2"],
    [[], undefined],
  ])("writes the keys %j", async (ids, search) => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things", { query: { ids } });
    expect(pathsOf(server.requests)).toEqual([search === undefined ? "/things" : `/things?${search}`]);
  });

  test.each([
    [{ filter: { "a]=1&admin": true, none: null } }, "filter[a%5D%3D1%26admin]=true"],
    [{ form: { none: null, "admin=true&x": 1, ä: "b,c" } }, "admin%3Dtrue%26x=1&%C3%A4=b%2Cc"],
    [{ flat: { "a,b&c": 1, d: 2, none: undefined } }, "flat=a%2Cb%26c,1,d,2"],
    [{ filter: { none: null }, form: {}, flat: {} }, undefined],
  ])("writes the members of the object %j", async (query, search) => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things", { query });
    expect(pathsOf(server.requests)).toEqual([search === undefined ? "/things" : `/things?${search}`]);
  });

  test.each([{ form: { a: { b: 1 } } }, { filter: { a: [1] } }, { ids: ["a", null] }, { tags: [{}] }])(
    "refuses %j, which no query can hold",
    async (query) => {
      const { rest, server } = await against(ok({}));
      expect(await failureOf(rest.get("/things", { query }))).toMatchObject({
        code: "BAD_USER_INPUT",
        details: { argument: Object.keys(query)[0] },
      });
      expect(server.requests).toEqual([]);
    },
  );

  test("makes one call of two reads of which one could have sent a header and did not", async () => {
    const { rest, server } = await against(ok({}));
    await Promise.all([rest.get("/things"), rest.get("/things", { header: { "X-Trace": null } })]);
    expect(server.requests).toHaveLength(1);
  });

  test("makes reads of one URL once for each of their headers' values", async () => {
    const { rest, server } = await against(ok({}));
    const read = (region: string) => rest.get("/things", { header: { region } });
    await Promise.all([read("eu"), read("eu"), read("us"), rest.get("/things"), read("us")]);
    expect(server.requests).toHaveLength(3);
  });

  test("remembers no read that was refused before it was sent", async () => {
    const { request, upstreams, server } = await against(() => {});
    const product = upstreams.of(operations["GET /things"] as Operation);
    const others = Array.from({ length: 5_000 }, () =>
      request()
        .get("/things")
        .catch(() => undefined),
    );
    const late = request();
    expect((await failureOf(late.get("/things"))).message).toMatch(/too many calls wait/);
    expect(product.underWay).toBe(5_000);
    await upstreams.close();
    await Promise.all(others);
    expect((await failureOf(late.get("/things"))).message).not.toMatch(/too many calls wait/);
    expect(server.requests.length).toBeLessThan(5_000);
  });

  test("shares nothing with another request", async () => {
    const { request, server } = await against(ok({}));
    await Promise.all([request().get("/things"), request().get("/things")]);
    expect(server.requests).toHaveLength(2);
  });

  test("makes MAX_REST_CALLS calls and not one more", async () => {
    const { rest, server } = await against(ok({}), { MAX_REST_CALLS: "3" });
    const calls = [1, 2, 3, 4].map((q) => rest.get("/things", { query: { q } }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(await failureOf(calls[3] as Promise<unknown>)).toMatchObject({
      code: "CALL_LIMIT",
      details: { limit: "MAX_REST_CALLS", value: 3 },
    });
    expect(server.requests).toHaveLength(3);
  });
});

describe("an answer that breaks its contract", () => {
  test.each<[string, Answer, RegExp]>([
    ["malformed JSON", (socket) => socket.write(http(200, '{"CANARY":')), /not valid JSON/],
    ["JSON with a comment", (socket) => socket.write(http(200, "{} // CANARY")), /not valid JSON/],
    [
      "a wrong content type",
      (socket) => socket.write(http(200, '"CANARY"', { "content-type": "text/html" })),
      /not JSON/,
    ],
    [
      "a content type that only begins like JSON's",
      (socket) => socket.write(http(200, '"CANARY"', { "content-type": "application/json-seq" })),
      /not JSON/,
    ],
    ["no content type", (socket) => socket.write(http(200, '"CANARY"', { "content-type": "" })), /not JSON/],
    ["an empty 200", (socket) => socket.write(http(200, "")), /empty/],
    ["a 204 that is not documented", (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), /empty/],
    ["a redirect", status(302, { location: "http://127.0.0.1:1/CANARY" }), /redirect/],
    ["a 304", (socket) => socket.write("HTTP/1.1 304 Not Modified\r\n\r\n"), /redirect/],
  ])("%s", async (_name, answer, message) => {
    const { rest } = await against(answer);
    const failure = await failureOf(rest.get("/things"));
    expect(failure.code).toBe("BAD_UPSTREAM_RESPONSE");
    expect(failure.message).toMatch(/^listThings: /);
    expect(failure.message).toMatch(message);
    expect(JSON.stringify([failure.details, String(failure.cause)])).not.toContain("CANARY");
  });

  test.each([
    "application/json;charset=utf-8",
    "Application/JSON",
    "application/hal+json",
    "text/x+json ; a=b",
  ])("%s does not break it", async (type) => {
    const { rest } = await against((socket) => socket.write(http(200, "[1]", { "content-type": type })));
    expect(await rest.get("/things")).toEqual([1]);
  });

  test("a 204 that is documented is null", async () => {
    const { rest } = await against((socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"));
    expect(await rest.delete("/things/{thingId}", { path: { thingId: "1" } })).toBeNull();
  });

  test("a body that is no object where one is walked into", async () => {
    const { rest } = await against(ok(["CANARY"]));
    expect(await failureOf(rest.get("/things", {}, "items"))).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
    });
  });
});

describe("a refusal", () => {
  test.each([
    [400, "BAD_USER_INPUT"],
    [401, "UNAUTHENTICATED"],
    [403, "FORBIDDEN"],
    [404, "NOT_FOUND"],
    [409, "CONFLICT"],
    [410, "UPSTREAM_ERROR"],
    [422, "BAD_USER_INPUT"],
    [429, "RATE_LIMITED"],
    [504, "UPSTREAM_TIMEOUT"],
  ])("%i is %s, and tried once", async (code, expected) => {
    const { rest, server } = await against(status(code));
    expect((await failureOf(rest.get("/things"))).code).toBe(expected);
    expect(server.requests).toHaveLength(1);
  });

  test("names a value only if it was sent, and only where the input is refused", async () => {
    const problem = '{"argument":"q","detail":"CANARY"}';
    const { rest } = await against(status(422, {}, problem));
    const sent = await failureOf(rest.get("/things", { query: { q: "x" } }));
    expect(sent).toMatchObject({
      message: 'listThings: the value of "q" is refused',
      details: { argument: "q" },
    });
    expect((await failureOf(rest.get("/things"))).details).toEqual({});
    const { rest: other } = await against(status(409, {}, problem));
    expect((await failureOf(other.get("/things", { query: { q: "x" } }))).details).toEqual({});
  });

  test("404 is null to find, and only 404", async () => {
    const { rest } = await against(status(404));
    expect(await rest.find("/things/{thingId}", { path: { thingId: "1" } })).toBeNull();
    const { rest: other } = await against(status(403));
    await failureOf(other.find("/things/{thingId}", { path: { thingId: "1" } }));
  });
});

describe("another try", () => {
  const failFirst =
    (failure: Answer): Answer =>
    (socket, request, count) =>
      count === 1 ? failure(socket, request, count) : ok({ fine: true })(socket, request, count);

  test.each<[string, Answer]>([
    ["500", status(500)],
    ["502", status(502)],
    ["503", status(503)],
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["a body cut off", (socket) => socket.end(http(200, "{", { "content-length": "9" }))],
  ])("is one, for a read that met %s", async (_name, failure) => {
    const { rest, server } = await against(failFirst(failure));
    expect(await rest.get("/things")).toEqual({ fine: true });
    expect(server.requests).toHaveLength(2);
    const { rest: other, server: down } = await against(failure);
    await failureOf(other.get("/things"));
    expect(down.requests).toHaveLength(2);
  });

  test("is one for all who ask for the same, however much of the budget is left", async () => {
    const { request, server } = await against((socket, text, count) =>
      (text.startsWith("GET /things/") ? ok({}) : status(503))(socket, text, count),
    );
    for (let read = 0; read < 40; read++)
      await request().get("/things/{thingId}", { path: { thingId: "1" } });
    server.requests.length = 0;
    const rest = request();
    await Promise.all(Array.from({ length: 8 }, () => failureOf(rest.get("/things"))));
    await failureOf(rest.get("/things"));
    expect(server.requests).toHaveLength(2);
  });

  test.each<[string, Answer]>([
    ["500", status(500)],
    ["429", status(429, { "retry-after": "0" })],
    ["a reset", (socket) => socket.resetAndDestroy()],
  ])("is never made for a mutation that met %s", async (_name, failure) => {
    const { rest, server } = await against(failFirst(failure));
    await failureOf(rest.post("/things", { body: {} }));
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 1_500).toUTCString()],
  ])("waits as long as Retry-After says, in %s", async (_name, after) => {
    const { rest, server } = await against((socket, request, count) =>
      failFirst(status(429, { "retry-after": after() }))(socket, request, count),
    );
    const began = performance.now();
    expect(await rest.get("/things")).toEqual({ fine: true });
    expect(performance.now() - began).toBeGreaterThan(400);
    expect(server.requests).toHaveLength(2);
  });

  test("is not waited for beyond the deadline: RATE_LIMITED with retryAfter at once", async () => {
    const { rest } = await against(status(429, { "retry-after": "30" }));
    const began = performance.now();
    expect(await failureOf(rest.get("/things"))).toMatchObject({
      code: "RATE_LIMITED",
      details: { retryAfter: 30 },
    });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test("is not made when it would be a call too many: the failure stays the failure", async () => {
    const { rest, server } = await against(status(500), { MAX_REST_CALLS: "1" });
    expect((await failureOf(rest.get("/things"))).code).toBe("UPSTREAM_ERROR");
    expect(server.requests).toHaveLength(1);
  });

  test("adds at most a fifth to the calls", async () => {
    const { request, server } = await against((socket, text, count) =>
      count % 3 === 0 ? ok({})(socket, text, count) : status(500)(socket, text, count),
    );
    for (let call = 0; call < 50; call++)
      await request()
        .get("/things")
        .catch(() => {});
    expect(server.requests.length).toBeGreaterThan(50);
    expect(server.requests.length).toBeLessThanOrEqual(60);
  });
});

describe("the breaker", () => {
  test("opens after five failures in a row, refuses at once, and tries again with one call at a time", async () => {
    const state = { isUp: false };
    const { request, server } = await against((socket, text, count) =>
      (state.isUp ? ok({}) : status(503))(socket, text, count),
    );
    for (let call = 0; call < 5; call++) await failureOf(request().post("/things", { body: {} }));
    const refused = Array.from({ length: 50 }, () => failureOf(request().get("/things")));
    for (const failure of refused) expect((await failure).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
    const until = performance.now() + 1_500;
    while (performance.now() < until)
      await Promise.all([1, 2, 3].map(() => failureOf(request().get("/things"))));
    expect(server.requests.length).toBeGreaterThan(5);
    expect(server.requests.length).toBeLessThan(20);
    state.isUp = true;
    await expect
      .poll(
        () =>
          request()
            .get("/things")
            .catch(() => undefined),
        { timeout: 5_000, interval: 50 },
      )
      .toEqual({});
  });

  test.each<[string, Answer]>([
    ["did wrong", status(400)],
    ["brings a bug to light with", status(500)],
    ["has too much of", (socket) => socket.write(http(200, JSON.stringify("a".repeat(2_000))))],
  ])("is not moved by what one caller %s", async (_what, answer) => {
    const { request, server } = await against(answer, { MAX_RESPONSE_BYTES: "1000" });
    for (let call = 0; call < 20; call++) await failureOf(request().post("/things", { body: {} }));
    expect(server.requests).toHaveLength(20);
  });

  test("forgets its failures at a success", async () => {
    const { request, server } = await against((socket, text, count) =>
      (server.requests.length % 5 === 0 ? ok({}) : status(503))(socket, text, count),
    );
    for (let call = 0; call < 20; call++)
      await request()
        .post("/things", { body: {} })
        .catch(() => undefined);
    expect(server.requests).toHaveLength(20);
  });

  test("counts each of the calls that fail together", async () => {
    const { request, server } = await against(status(504));
    await Promise.all([1, 2, 3, 4, 5].map(() => failureOf(request().get("/things"))));
    expect(server.requests).toHaveLength(5);
    expect((await failureOf(request().get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
  });

  test("counts an exchange once, however many fields share it", async () => {
    const { rest, server } = await against(status(504));
    await Promise.allSettled(Array.from({ length: 20 }, () => rest.get("/things")));
    await failureOf(rest.get("/things"));
    expect(server.requests).toHaveLength(2);
  });

  test("of one product leaves the others alone", async () => {
    const { request, server } = await against((socket, text, count) =>
      (text.includes("/others") ? ok({ fine: true }) : status(504))(socket, text, count),
    );
    for (let call = 0; call < 8; call++) await failureOf(request().get("/things"));
    expect(server.requests.length).toBeLessThan(8);
    expect(await request().get("/others")).toEqual({ fine: true });
  });

  test("lets nobody wait for the one call that tries again", async () => {
    const state = { hangs: false };
    const { request } = await against((socket, text, count) => {
      if (!state.hangs) status(504)(socket, text, count);
    });
    for (let call = 0; call < 5; call++) await failureOf(request().get("/things"));
    state.hangs = true;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const trying = failureOf(request().get("/things"));
    const began = performance.now();
    expect((await failureOf(request().get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(performance.now() - began).toBeLessThan(500);
    expect((await trying).code).toBe("UPSTREAM_TIMEOUT");
  });
});

describe("a caller", () => {
  /** Hangs for one caller, and answers all others. */
  const hangsForOne: Answer = (socket, text, count) => {
    if (!text.includes("x-api-key: hanging")) ok({ fine: true })(socket, text, count);
  };

  test("whose calls hang holds up no other, and opens the breaker for nobody", async () => {
    const { request, server } = await against(hangsForOne, { CALL_TIMEOUT_MS: "1500" });
    const hanging = Array.from({ length: 150 }, () => failureOf(request("hanging").get("/things")));
    const codes = Promise.all(hanging).then((failures) => new Set(failures.map(({ code }) => code)));
    const until = performance.now() + 1_700;
    let slowest = 0;
    while (performance.now() < until) {
      const began = performance.now();
      expect(await request("other").get("/things")).toEqual({ fine: true });
      slowest = Math.max(slowest, performance.now() - began);
    }
    expect(slowest).toBeLessThan(500);
    expect(await codes).toEqual(new Set(["UPSTREAM_TIMEOUT"]));
    expect(server.requests.filter((text) => text.includes("hanging"))).toHaveLength(48);
  });

  test("whose calls hang opens the breaker for nobody who calls now and then", async () => {
    const { request } = await against(hangsForOne, { CONNECT_TIMEOUT_MS: "100", CALL_TIMEOUT_MS: "900" });
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const until = performance.now() + 2_500;
    const hang = async (): Promise<void> => {
      for (; performance.now() < until; await sleep(10)) await failureOf(request("hanging").get("/things"));
    };
    const hanging = Array.from({ length: 80 }, hang);
    for (; performance.now() < until; await sleep(300))
      expect(await request("other").get("/things")).toEqual({ fine: true });
    await Promise.all(hanging);
  });

  test("opens the breaker for everybody if nobody is answered", async () => {
    const { request, server } = await against(() => {}, { CALL_TIMEOUT_MS: "300" });
    await Promise.all(Array.from({ length: 5 }, () => failureOf(request().get("/things"))));
    expect((await failureOf(request("other").get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
  });

  test("waits for its turn until the time to connect is over, or its client leaves", async () => {
    const { request, server, upstreams } = await against(hangsForOne, { CONNECT_TIMEOUT_MS: "300" });
    const hanging = Array.from({ length: 48 }, () => {
      const one = request("hanging");
      return { ...one, leave: one.leave, failure: failureOf(one.get("/things")) };
    });
    await expect.poll(() => server.requests.length).toBe(48);
    const leaving = request("hanging");
    const [left, late] = [leaving, request("hanging")].map((one) => failureOf(one.get("/things")));
    const began = performance.now();
    leaving.leave();
    expect((await left)?.code).toBe("CLIENT_CLOSED_REQUEST");
    expect(performance.now() - began).toBeLessThan(100);
    expect((await late)?.message).toMatch(/no connection in time/);
    expect(performance.now() - began).toBeGreaterThan(280);
    expect(performance.now() - began).toBeLessThan(600);
    const next = failureOf(request("hanging").get("/things", { query: { q: "next" } }));
    hanging[0]?.leave();
    await expect.poll(() => pathsOf(server.requests).at(-1)).toBe("/things?q=next");
    for (const { leave } of hanging) leave();
    expect((await next).message).toMatch(/no answer in time/);
    expect(upstreams.underWay).toBe(0);
    expect(server.requests).toHaveLength(49);
  });

  test("has all of its calls made, however many, but no more than its share at once", async () => {
    let [underWay, most] = [0, 0];
    const { request } = await against((socket, text, count) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => underWay-- && ok({})(socket, text, count), 5);
    });
    await Promise.all(Array.from({ length: 400 }, (_, q) => request().get("/things", { query: { q } })));
    expect(most).toBe(48);
  });
});

describe("a client that leaves", () => {
  test("ends its reads and starts no more; its mutation goes on", async () => {
    const { rest, server, upstreams } = await against((socket, text) => {
      if (text.startsWith("POST")) setTimeout(() => socket.write(http(200, '{"made":true}')), 200);
    });
    const read = failureOf(rest.get("/things"));
    const mutation = rest.post("/things", { body: {} });
    await expect.poll(() => server.requests.length).toBe(2);
    const began = performance.now();
    rest.leave();
    expect((await read).code).toBe("CLIENT_CLOSED_REQUEST");
    expect(performance.now() - began).toBeLessThan(100);
    expect((await failureOf(rest.get("/things", { query: { q: 1 } }))).code).toBe("CLIENT_CLOSED_REQUEST");
    expect(await mutation).toEqual({ made: true });
    expect(upstreams.underWay).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test("ends the wait for another try", async () => {
    const { rest, server } = await against(status(429, { "retry-after": "10" }));
    const read = failureOf(rest.get("/things"));
    await expect.poll(() => server.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    rest.leave();
    expect((await read).code).toBe("CLIENT_CLOSED_REQUEST");
  });
});

test("a request's deadline cuts its last call short", async () => {
  const { rest } = await against(() => {}, { REQUEST_TIMEOUT_MS: "400" });
  const began = performance.now();
  expect((await failureOf(rest.get("/things"))).code).toBe("UPSTREAM_TIMEOUT");
  expect(performance.now() - began).toBeGreaterThan(380);
  expect(performance.now() - began).toBeLessThan(600);
});
