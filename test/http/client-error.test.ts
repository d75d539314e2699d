/** What is said to a client whose request never became one. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answerClientError } from "../../src/http/client-error.ts";
import { configure } from "../graphql/configure.ts";

const { env } = configure({ MAX_HEADER_BYTES: "2000", REQUEST_TIMEOUT_MS: "300" });

test.each([
  ["HPE_HEADER_OVERFLOW", { code: "LIMIT_EXCEEDED", limit: "MAX_HEADER_BYTES", value: 2_000 }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { code: "LIMIT_EXCEEDED", limit: "REQUEST_TIMEOUT_MS", value: 300 }],
  ["HPE_INVALID_METHOD", { code: "BAD_REQUEST" }],
])("%s", async (code, problem) => {
  const socket = new PassThrough();
  answerClientError(Object.assign(new Error("CANARY"), { code }), socket, env);
  const answer = await text(socket);
  const [head, body] = answer.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/);
  expect(JSON.parse(body ?? "")).toMatchObject(problem);
  expect(answer).not.toContain("CANARY");
});
