/** What the error of a failed write says of its outcome, and interim responses that nobody asked for (RFC 9110 §15.2). */
import { describe, expect, test } from "vitest";
import { maxInterimResponses } from "../../../../src/engine/runtime/http/upstream-failure.ts";
import { against, failureOf, ok, status } from "./client.ts";
import { type Answer, http } from "./raw-server.ts";

const unknown = /; its outcome is unknown: it may have been executed$/;
const interim = (code: number): string => `HTTP/1.1 ${code} X\r\n\r\n`;
const write = { body: {} };

describe("a mutation that fails", () => {
  test.each<[string, string, Answer]>([
    ["a reset", "UPSTREAM_UNAVAILABLE", (socket) => socket.resetAndDestroy()],
    ["a connection that ends", "UPSTREAM_UNAVAILABLE", (socket) => socket.end()],
    [
      "a body cut off",
      "UPSTREAM_UNAVAILABLE",
      (socket) => socket.end(http(201, "{", { "content-length": "9" })),
    ],
    ["no HTTP", "BAD_UPSTREAM_RESPONSE", (socket) => socket.write("SSH-2.0\r\n\r\n")],
    ["no JSON", "BAD_UPSTREAM_RESPONSE", (socket) => socket.write(http(201, "{"))],
    ["an empty body", "BAD_UPSTREAM_RESPONSE", (socket) => socket.write(http(201, ""))],
    ["no answer in time", "UPSTREAM_TIMEOUT", () => {}],
    ["a 500", "UPSTREAM_ERROR", status(500)],
    ["a 503", "UPSTREAM_UNAVAILABLE", status(503, { "retry-after": "1" })],
    ["a 504", "UPSTREAM_TIMEOUT", status(504)],
  ])("by %s has an unknown outcome: %s, and is sent once", async (_how, code, answer) => {
    const { rest, server } = await against(answer, { CALL_TIMEOUT_MS: "500" });
    const failure = await failureOf(rest.post("/things", write));
    expect(failure).toMatchObject({ code, message: expect.stringMatching(unknown) });
    expect(failure.message).not.toMatch(/cannot be reached|no connection/);
    expect(server.requests).toHaveLength(1);
  });

  test("without a connection was not sent", async () => {
    const { rest } = await against(ok({}), { REST_BASE_URL: "http://127.0.0.1:9" });
    expect(await failureOf(rest.post("/things", write))).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: "makeThing: the service cannot be reached; it was not sent",
    });
  });

  test.each([400, 404, 409, 429])("by a %i was refused, and nothing is unknown", async (code) => {
    const { rest } = await against(status(code));
    expect((await failureOf(rest.post("/things", write))).message).not.toMatch(/outcome|not sent/);
  });
});

test.each<[string, Answer]>([
  ["a reset", (socket) => socket.resetAndDestroy()],
  ["a 500", status(500)],
])("a read that fails by %s has no outcome", async (_how, answer) => {
  const { rest } = await against(answer);
  expect((await failureOf(rest.get("/things"))).message).not.toMatch(/outcome|not sent|cannot be reached/);
});

describe("unsolicited interim responses", () => {
  test.each([100, 102, 103, 104, 199])("of %i are skipped, before a read's and a write's", async (code) => {
    const { rest } = await against((socket) => {
      socket.write(interim(code).repeat(maxInterimResponses));
      setImmediate(() => socket.write(http(200, '{"fine":true}')));
    });
    expect(await rest.get("/things")).toEqual({ fine: true });
    expect(await rest.post("/things", write)).toEqual({ fine: true });
  });
});
