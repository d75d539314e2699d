/** A refusal by HTTP is a GraphQL response too, with the status and the headers of the refusal. */

import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

const url = "/v1/graphql";
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const allow = "GET, POST";

test.each([
  [
    "text",
    { headers: { "content-type": "text/plain" }, payload: "{}" },
    415,
    { code: "UNSUPPORTED_MEDIA_TYPE" },
  ],
  ["a form", { headers: form, payload: "query={me{id}}" }, 415, { code: "UNSUPPORTED_MEDIA_TYPE" }],
  ["no type", { headers: { "content-type": "" }, payload: "{}" }, 415, { code: "UNSUPPORTED_MEDIA_TYPE" }],
  ["no JSON", { headers: json, payload: "{" }, 400, { code: "BAD_REQUEST" }],
  ["no body", { headers: json, payload: "" }, 400, { code: "BAD_REQUEST" }],
  ["too much", { headers: json, payload: " ".repeat(101) }, 413, { code: "LIMIT_EXCEEDED", value: 100 }],
  [
    "a batch",
    { headers: json, payload: "[{},{}]" },
    400,
    { code: "LIMIT_EXCEEDED", limit: "MAX_OPERATIONS" },
  ],
  ["PUT", { method: "PUT" as const }, 405, { code: "METHOD_NOT_ALLOWED" }],
])("%s", async (_name, given, status, extensions) => {
  const server = await createGraphql(configure({ MAX_BODY_BYTES: "100", GRAPHQL_GET: "on" }), api);
  onTestFinished(() => server.close());
  const answer = await server.inject({ method: "POST", url, ...given });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
    status,
    "application/json; charset=utf-8",
  ]);
  expect(answer.json()).toEqual({
    errors: [
      {
        message: expect.any(String),
        extensions: expect.objectContaining({ ...extensions, requestId: expect.any(String) }),
      },
    ],
  });
  expect(answer.headers.accept).toBe(status === 415 ? "application/json" : undefined);
  expect(answer.headers.allow).toBe(status === 405 ? allow : undefined);
});

test.each([
  [{}, "GET, HEAD, POST, OPTIONS"],
  [{ NODE_ENV: "production", GRAPHQL_GET: "off" }, "POST, OPTIONS"],
])("OPTIONS with %j names the methods", async (environment, allowed) => {
  const server = await createGraphql(configure(environment), api);
  onTestFinished(() => server.close());
  const answer = await server.inject({ method: "OPTIONS", url });
  expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([204, allowed, ""]);
});
