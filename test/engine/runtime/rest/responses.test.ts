/** The responses of REST as the REST client reads them: values, broken contracts, refusals. */
import { describe, expect, onTestFinished, test } from "vitest";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import { against, failureOf, ok, operations, status } from "./client.ts";
import { type Answer, http } from "./raw-server.ts";

describe("text", () => {
  const text = (type: string) =>
    against((socket) => socket.write(http(200, "Keep it\nsimple.", { "content-type": type })));

  test("is the value of an operation that documents it, and is asked for", async () => {
    const { rest, server } = await text("text/plain; charset=utf-8");
    expect(await rest.get("/motto")).toBe("Keep it\nsimple.");
    expect(server.requests[0]).toMatch(/\r\naccept: text\/plain, application\/json;q=0\.5\r\n/i);
  });

  test("breaks the contract of any other operation, and a type that is not documented breaks it here", async () => {
    expect((await failureOf((await text("text/plain")).rest.get("/things"))).message).toMatch(/not JSON/);
    expect((await failureOf((await text("image/png")).rest.get("/motto"))).code).toBe(
      "BAD_UPSTREAM_RESPONSE",
    );
  });
});

describe("a response that breaks its contract", () => {
  test.each<[string, Answer, RegExp, cause?: string]>([
    ["malformed JSON", (socket) => socket.write(http(200, '{"CANARY":')), /not valid JSON/, "not JSON"],
    [
      "JSON with a comment",
      (socket) => socket.write(http(200, "{} // CANARY")),
      /not valid JSON/,
      "not JSON",
    ],
    [
      "a wrong content type",
      (socket) => socket.write(http(200, '"CANARY"', { "content-type": "text/html" })),
      /not JSON/,
      "HTML",
    ],
    [
      "a content type that only begins like JSON's",
      (socket) => socket.write(http(200, '"CANARY"', { "content-type": "application/json-seq" })),
      /not JSON/,
      "not JSON",
    ],
    [
      "no content type",
      (socket) => socket.write(http(200, '"CANARY"', { "content-type": "" })),
      /not JSON/,
      "not JSON",
    ],
    ["an empty 200", (socket) => socket.write(http(200, "")), /empty/, "empty body"],
    [
      "a 204 that is not documented",
      (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
      /empty/,
      "empty body",
    ],
    ["a redirect", status(302, { location: "http://127.0.0.1:1/CANARY" }), /redirect/, "redirect"],
    ["a 304", (socket) => socket.write("HTTP/1.1 304 Not Modified\r\n\r\n"), /redirect/, "redirect"],
  ])("%s", async (_name, answer, message, cause) => {
    const causes: (string | undefined)[] = [];
    onTestFinished(subscribe({ callEnded: (call) => void causes.push(call.cause) }));
    const { rest } = await against(answer);
    const failure = await failureOf(rest.get("/things"));
    expect(failure.code).toBe("BAD_UPSTREAM_RESPONSE");
    expect(failure.message).toMatch(/^listThings: /);
    expect(failure.message).toMatch(message);
    expect(causes).toEqual([cause]); // which the log tells
    expect(JSON.stringify([failure.details, String(failure.cause)])).not.toContain("CANARY");
  });

  test("a byte order mark does not break it", async () => {
    const { rest } = await against((socket) => socket.write(http(200, "\uFEFF[1]")));
    expect(await rest.get("/things")).toEqual([1]);
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

  test.each<[types: string | string[], isJson: boolean]>([
    ["text/html, application/json", true],
    ["text/html,Application/Problem+JSON; charset=utf-8 ,", true],
    ['text/html; a=", b", application/json', true],
    ["application/json, text", true],
    ["application/json, */*", true],
    [["text/html", "application/json"], true],
    [["application/json", ""], true],
    [["text/html, text/css", "application/json, image/*/png"], true],
    ["application/json, text/html", false],
    ['text/html; a=", application/json', false],
    ['text/html; a="\\", application/json, "', false],
    [["application/json", "text/html"], false],
    [["application/json, text/html"], false],
  ])("of several media types the last valid one counts: %j", async (types, isJson) => {
    const lines = [types].flat().map((type) => `content-type: ${type}\r\n`);
    const { rest } = await against((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${lines.join("")}content-length: 3\r\n\r\n[1]`),
    );
    const answer = rest.get("/things").catch((error: { code?: string }) => error.code);
    expect(await answer).toEqual(isJson ? [1] : "BAD_UPSTREAM_RESPONSE");
  });

  test.each([
    ["", ""],
    [" with a length", "Content-Length: 6\r\n"],
  ])("a documented 204%s is null", async (_name, length) => {
    const { rest, server } = await against((socket) =>
      socket.write(`HTTP/1.1 204 No Content\r\n${length}\r\n`),
    );
    for (let times = 0; times < 2; times++)
      expect(await rest.delete("/things/{thingId}", { path: { thingId: "1" } })).toBeNull();
    expect(server.requests).toHaveLength(2);
  });

  test.each<[string, Answer]>([
    ["JSON", ok({ done: true })],
    ["a page", (socket) => socket.write(http(200, "<p>Done</p>", { "content-type": "text/html" }))],
    ["bytes", (socket) => socket.write(http(200, "\x89PNG", { "content-type": "image/png" }))],
    ["compressed", (socket) => socket.write(http(200, "no gzip", { "content-encoding": "gzip" }))],
    ["endless", (socket) => socket.write(http(200, "1".repeat(3000)))],
    ["nothing", (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n")],
  ])("the body of a success that documents none is not read: %s", async (_name, answer) => {
    const { rest, server } = await against(answer, { MAX_RESPONSE_BYTES: "2000" });
    for (let times = 0; times < 2; times++)
      expect(await rest.post("/things/{thingId}/reset", { path: { thingId: "1" } })).toBeNull();
    expect(server.requests).toHaveLength(2);
  });

  test("a refusal is read all the same, and a redirect is no success", async () => {
    const reset = async (answer: Answer) =>
      failureOf((await against(answer)).rest.post("/things/{thingId}/reset", { path: { thingId: "1" } }));
    expect(await reset(status(403))).toMatchObject({ code: "FORBIDDEN" });
    expect((await reset(status(302, { location: "http://127.0.0.1:1/CANARY" }))).message).toMatch(/redirect/);
  });

  test("a body that is not an object, below which the result is read", async () => {
    const { rest } = await against(ok(["CANARY"]));
    expect(await failureOf(rest.get("/things", {}, "items"))).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
    });
  });
});

describe("an error response", () => {
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
  ])("%i is %s, and is not retried", async (code, expected) => {
    const { rest, server } = await against(status(code));
    expect((await failureOf(rest.get("/things"))).code).toBe(expected);
    expect(server.requests).toHaveLength(1);
  });

  test("names an argument only if it was sent, and only if REST refuses the input or what it contradicts", async () => {
    const problem = '{"argument":"q","detail":"CANARY"}';
    const { rest } = await against(status(422, {}, problem));
    const sent = await failureOf(rest.get("/things", { query: { q: "x" } }));
    expect(sent).toMatchObject({
      message: 'listThings: argument "q" is not accepted',
      details: { argument: "q" },
    });
    expect((await failureOf(rest.get("/things"))).details).toEqual({ operation: "listThings" });
    const { rest: other } = await against(status(409, {}, problem));
    expect(await failureOf(other.get("/things", { query: { q: "x" } }))).toMatchObject({
      code: "CONFLICT",
      message: 'listThings: argument "q" contradicts what is stored',
      details: { argument: "q" },
    });
    const { rest: last } = await against(status(403, {}, problem));
    const refused = await failureOf(last.get("/things", { query: { q: "x" } }));
    expect(refused.details).toEqual({ operation: "listThings" });
  });

  test("404 is null for a lookup, and no other status is", async () => {
    const { rest } = await against(status(404));
    expect(await rest.find("/things/{thingId}", { path: { thingId: "1" } })).toBeNull();
    const { rest: other } = await against(status(403));
    await failureOf(other.find("/things/{thingId}", { path: { thingId: "1" } }));
  });
});

test("a null, or nothing, where the document requires a value is an error; where it allows null, a null", async () => {
  const table = {
    ...operations,
    "GET /lists": { id: "getLists", product: "A", nullable: ["data.list"] },
    "GET /maybe": { id: "getMaybe", product: "A", nullable: [""] },
  };
  for (const [body, failing] of [
    ["null", ["", "items", "data"]],
    ["{}", ["items", "data"]],
    ['{"items":null,"data":{}}', ["items"]],
  ] as const) {
    const { request } = await against((socket) => void socket.write(http(200, body)), {}, "", table);
    for (const place of ["", "items", "data"]) {
      const steps = place === "" ? [] : [place];
      const call = request().get("/things", {}, ...steps);
      if ((failing as readonly string[]).includes(place))
        expect(await failureOf(call)).toMatchObject({
          code: "BAD_UPSTREAM_RESPONSE",
          message: "listThings: the answer lacks a value that its document requires",
        });
      else await call;
    }
    expect(await request().get("/lists", {}, "data", "list")).toBeNull();
    if (body === "null") expect(await request().get("/maybe")).toBeNull();
    expect(
      await failureOf(request().find("/things/{thingId}", { path: { thingId: "1" } }, "x")),
    ).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
    });
  }
});
