/** What is said to a client whose request never became one. */
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import {
  rejectUnlessComplete,
  respondToClientError,
} from "../../../../src/engine/runtime/http/client-error.ts";
import { configure } from "../graphql/configure.ts";

const { env } = configure({ MAX_HEADER_BYTES: "2000", REQUEST_TIMEOUT_MS: "300" });

test.each([
  ["HPE_HEADER_OVERFLOW", { code: "LIMIT_EXCEEDED", limit: "MAX_HEADER_BYTES", value: 2_000 }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { code: "REQUEST_TIMEOUT", status: 408 }],
  ["HPE_INVALID_METHOD", { code: "BAD_REQUEST", detail: "the request is not well-formed HTTP" }],
  ["HPE_PAUSED_H2_UPGRADE", { code: "BAD_REQUEST", detail: "this server speaks HTTP/1.1, not HTTP/2" }],
])("%s", async (code, problem) => {
  const socket = new PassThrough();
  respondToClientError(Object.assign(new Error("CANARY"), { code }), socket, env, { last: undefined });
  const answer = await text(socket);
  const [head, body] = answer.split("\r\n\r\n");
  expect(head).toMatch(
    /^HTTP\/1\.1 4(?:00 Bad Request|08 Request Timeout|31 Request Header Fields Too Large)\r\nConnection: close\r\n/,
  );
  expect(JSON.parse(body ?? "")).toMatchObject(problem);
  expect(answer).not.toContain("CANARY");
});

test("a refusal keeps the parser's error, whose code the log has", () => {
  const error = Object.assign(new Error(), { code: "HPE_INVALID_METHOD" });
  expect(respondToClientError(error, new PassThrough(), env, { last: undefined })?.cause).toBe(error);
});

test("a refused request for /v1/graphql gets a GraphQL response if its request line can be read", async () => {
  const socket = new PassThrough();
  const rawPacket = Buffer.from("POST /v1/graphql HTTP/1.1\r\nX-Long: CANARY");
  const error = Object.assign(new Error(), { code: "HPE_HEADER_OVERFLOW", rawPacket });
  respondToClientError(error, socket, env, { last: undefined });
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 431 [\s\S]*\r\nContent-Type: application\/json; charset=utf-8\r\n/);
  expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({
    errors: [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_HEADER_BYTES", value: 2_000 } }],
  });
  expect(answer).not.toContain("CANARY");
});

test.each([
  ["no byte has come", "is refused", -1, undefined],
  ["its body has not come", "is refused", -1, false],
  ["it has come by then", "stays", -1, true],
  ["it is answered by then", "stays", 0, undefined],
])("a late request, when %s, %s after the sockets are read", async (_what, fate, bytesBefore, complete) => {
  const refuse = vi.fn();
  const error = Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  const last = complete === undefined ? undefined : ({ req: { complete } } as ServerResponse);
  rejectUnlessComplete(error, { socket: new Socket(), bytesBefore, last }, refuse);
  expect(refuse).not.toHaveBeenCalled();
  await turn();
  expect(refuse).toHaveBeenCalledTimes(fate === "stays" ? 0 : 1);
});
