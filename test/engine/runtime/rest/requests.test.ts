/** The requests of the REST client: paths, parameters and headers as they go out. */
import { describe, expect, test } from "vitest";
import { serializePath } from "../../../../src/engine/runtime/rest/encode.ts";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import { alone } from "../governor/alone.ts";
import { against, failureOf, ok, operations, pathsOf } from "./client.ts";

describe("a request", () => {
  test("keeps the base URL's path, writes each parameter in its style, and carries the caller's headers", async () => {
    const { rest, server } = await against(ok({ items: [1] }), {}, "/base/");
    const query = { ids: ["a,b", "c"], tags: ["x", "y z"], filter: { from: "1&2" }, none: null, q: "ä/?#" };
    expect(await rest.get("/things", { query }, "items")).toEqual([1]);
    const [head = ""] = server.requests;
    expect(head.split("\r\n")[0]).toBe(
      "GET /base/things?ids=a%2Cb,c&tags=x%7Cy%20z&filter%5Bfrom%5D=1%262&q=%C3%A4%2F%3F%23 HTTP/1.1",
    );
    expect(head).toMatch(/\r\nx-api-key: key\r\n/);
  });

  test("leaves out null and absent members of an object, as it leaves out such parameters", async () => {
    const { rest, server } = await against(ok({}));
    const query = {
      filter: { a: null, b: 0, c: undefined },
      page: { after: null, size: 1 },
      q: { d: "", e: null },
    };
    await rest.get("/things", { query, header: { "X-Trace": { span: "s", parent: null } } });
    await rest.get("/things", { query: { filter: { a: null }, page: { after: null }, q: {} } });
    expect(pathsOf(server.requests)).toEqual(["/things?filter%5Bb%5D=0&page=size,1&d=", "/things"]);
    expect(server.requests[0]).toMatch(/\r\nx-trace: span=s\r\n/i);
  });

  const climbing = [
    "x/../me",
    "../me",
    "a/..",
    "x\\..\\me",
    "..;/me",
    "a/..;b=c/me",
    "./me",
    "a/./b",
    "%2e%2e",
    "a/%2E./me",
    "a%2f..%5Cme",
    "..%3Bme",
  ];
  test.each(["", ".", "..", ...climbing, "a\nb", "\u0000", "\ud800", null, [[]], [["a", "b/../.."]]])(
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
    ["%2e%2ea", "/things/%252e%252ea"],
    ["...", "/things/..."],
    ["a/.b/..c/d..", "/things/a%2F.b%2F..c%2Fd.."],
  ])("keeps the path value %j in its segment", async (thingId, path) => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things/{thingId}", { path: { thingId } });
    expect(pathsOf(server.requests)).toEqual([path]);
  });

  test.each([
    ["/files/{a}..%2F", "x/"],
    ["/files/.{a}", "."],
    ["/files/{a}.", "x/."],
    ["/files/{a}%2F..", "x"],
    ["/files/%2{a}", "e."],
  ])("forms no dot segment in %s from %j", (template, a) => {
    expect(() => serializePath(template, { a })).toThrow("cannot be sent in a URL path");
  });

  test("writes a query parameter of JSON as JSON", async () => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things", { query: { where: { any: [{ size: 1 }] } } });
    await rest.get("/things", { query: { where: "a" } });
    const sent = pathsOf(server.requests).map((path) => new URL(path, "http://x").searchParams.get("where"));
    expect(sent).toEqual(['{"any":[{"size":1}]}', '"a"']);
  });

  test("writes a form as its body, and leaves out what is null", async () => {
    const { rest, server } = await against(ok({}));
    const note = { deep: [{ a: "&" }] };
    const body = {
      amount: 5,
      to: ["a&b", "c=d"],
      few: ["x,", "y"],
      meta: { order_id: "ä 1" },
      note,
      none: null,
    };
    await rest.post("/forms", { body });
    const [, head = "", sent] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(server.requests[0] ?? "") ?? [];
    expect(head).toMatch(/\r\ncontent-type: application\/x-www-form-urlencoded\r\n/i);
    const received = new URLSearchParams(sent);
    expect([...received]).toEqual([
      ["amount", "5"],
      ["to", "a&b"],
      ["to", "c=d"],
      ["few", "x,,y"],
      ["meta[order_id]", "ä 1"],
      ["note", JSON.stringify(note)],
    ]);
  });

  test("writes a text as it is", async () => {
    const { rest, server } = await against(ok({}));
    await rest.put("/motto", { body: 'a "b"\n' });
    const [, head, sent] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(server.requests[0] ?? "") ?? [];
    expect([/\r\ncontent-type: (.*?)\r\n/i.exec(head ?? "")?.[1], sent]).toEqual(["text/plain", 'a "b"\n']);
  });

  test("refuses what a form cannot hold, before the call", async () => {
    const { rest, server } = await against(ok({}));
    for (const body of [{ to: [["a"]] }, { meta: { a: { b: 1 } } }, "text", ["a"]])
      expect(await failureOf(rest.post("/forms", { body }))).toMatchObject({ code: "BAD_USER_INPUT" });
    expect(server.requests).toEqual([]);
  });

  test("refuses header values that would add another header, and text with half a surrogate pair", async () => {
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
    for (const value of ["a\udfff", ["\\\ud800"], { deep: "\ud83d" }])
      expect(
        await failureOf(rest.post("/things", { body: { sound: "\\ud800 😀", text: value } })),
      ).toMatchObject({
        code: "BAD_USER_INPUT",
        details: { argument: "text" },
      });
    expect(server.requests).toEqual([]);
    await rest.post("/things", { body: { text: "\\ud800 😀" } });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    { trace: ["a,b"] },
    { trace: ["a", " b"] },
    { trace: ["a", ""] },
    { trace: ["a", null] },
    { trace: [["a"]] },
    { trace: { span: "a,b" } },
    { trace: { "a=b": 1 } },
    { trace: " a" },
    { trace: "a\t" },
  ])("refuses the header %j, which REST could not read back", async ({ trace }) => {
    const { rest, server } = await against(ok({}));
    const header = { "X-Trace": trace };
    expect(await failureOf(rest.get("/things", { header }))).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { argument: "X-Trace" },
    });
    expect(server.requests).toEqual([]);
  });

  test("writes lists in a header, and leaves out an empty object", async () => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things", { header: { "X-Trace": ["a b", 1], Tags: {}, Text: "" } });
    expect(server.requests[0]).toMatch(/\r\nx-trace: a b,1\r\n/i);
    expect(server.requests[0]).toMatch(/\r\ntext: ?\r\n/i);
    expect(server.requests[0]).not.toMatch(/\r\ntags:/i);
  });

  test("sends identical reads once, until a write makes their response stale", async () => {
    const { rest, server } = await against(ok({ items: [] }));
    await Promise.all([rest.get("/things"), rest.get("/things", {}, "items"), rest.find("/things")]);
    await rest.get("/things");
    expect(server.requests).toHaveLength(1);
    await Promise.all([rest.post("/things", { body: {} }), rest.post("/things", { body: {} })]);
    expect(server.requests).toHaveLength(3);
    await rest.get("/things");
    expect(pathsOf(server.requests)).toHaveLength(4);
  });

  test("parses a shared response once, also a response of unknown length", async () => {
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
  ])("writes the keys %j", async (ids, search) => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things", { query: { ids } });
    expect(pathsOf(server.requests)).toEqual([`/things?${search}`]);
  });

  test.each([
    [{ filter: { "a=1&admin": true, none: null } }, "filter%5Ba%3D1%26admin%5D=true"],
    [{ form: { none: null, "admin=true&x": 1, ä: "b,c" } }, "admin%3Dtrue%26x=1&%C3%A4=b%2Cc"],
    [{ flat: { "a,b&c": 1, d: 2, none: undefined } }, "flat=a%2Cb%26c,1,d,2"],
    [{ filter: { none: null }, form: {}, flat: {} }, undefined],
  ])("writes the members of the object %j", async (query, search) => {
    const { rest, server } = await against(ok({}));
    await rest.get("/things", { query });
    expect(pathsOf(server.requests)).toEqual([search === undefined ? "/things" : `/things?${search}`]);
  });

  test.each([
    { form: { a: { b: 1 } } },
    { filter: { a: [1] } },
    { ids: ["a", null] },
    { tags: [{}] },
    { tags: ["a", "b|c"] },
    { filter: { "a][b": 1 } },
    { filter: { "": 1 } },
    { form: { q: 1 }, q: 2 },
  ])("refuses %j, which REST could not read back from a query string", async (query) => {
    const { rest, server } = await against(ok({}));
    expect(await failureOf(rest.get("/things", { query }))).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { argument: Object.keys(query)[0] },
    });
    expect(server.requests).toEqual([]);
  });

  test("sends two reads once if one of them has an optional header that it leaves out", async () => {
    const { rest, server } = await against(ok({}));
    await Promise.all([rest.get("/things"), rest.get("/things", { header: { "X-Trace": null } })]);
    expect(server.requests).toHaveLength(1);
  });

  test("sends reads of one URL once for each value of their headers", async () => {
    const { rest, server } = await against(ok({}));
    const read = (region: string) => rest.get("/things", { header: { region } });
    await Promise.all([read("eu"), read("eu"), read("us"), rest.get("/things"), read("us")]);
    expect(server.requests).toHaveLength(3);
  });

  test("does not remember a read that was refused before it was sent", async () => {
    const { request, upstreams, server } = await against(() => {});
    const product = upstreams.of(operations["GET /things"] as Operation);
    const others = Array.from({ length: 5_000 }, (_, q) =>
      request()
        .get("/things", { query: { q } })
        .catch(() => undefined),
    );
    const late = request();
    expect((await failureOf(late.get("/things"))).message).toMatch(/too many calls wait/);
    expect(product.callsInFlight).toBe(alone(5_000));
    await upstreams.close();
    await Promise.all(others);
    expect((await failureOf(late.get("/things"))).message).not.toMatch(/too many calls wait/);
    expect(server.requests.length).toBeLessThan(5_000);
  });

  test("joins no call of another request that is on its way", async () => {
    const { request, server } = await against(ok({}));
    await Promise.all([request().get("/things"), request().get("/things")]);
    expect(server.requests).toHaveLength(2);
  });

  test("sends MAX_REST_CALLS calls and refuses the next", async () => {
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
