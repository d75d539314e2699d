/** A refusal by HTTP is a GraphQL response too, with the status and the headers of the refusal. */

import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

const url = "/v1/graphql";
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const allow = "GET, HEAD, POST, OPTIONS";

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
  ["a batch of one", { headers: json, payload: '[{"query":"{ me { id } }"}]' }, 400, { code: "BAD_REQUEST" }],
  ["an empty batch", { headers: json, payload: "[]" }, 400, { code: "BAD_REQUEST" }],
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

test.each(["[]", '[{"query":"{ me { id } }"}]', "[{},{}]"])(
  "the refusal of a batch says that there are none, and what to send: %s",
  async (payload) => {
    const server = await createGraphql(configure(), api);
    onTestFinished(() => server.close());
    const answer = await server.inject({ method: "POST", url, headers: json, payload });
    expect(answer.json().errors[0].message).toMatch(
      /^batches are not supported: send one operation a request/,
    );
  },
);

test.each([
  ["/v1/graphql", "gzip"],
  ["/v1/graphql", "x-gzip"],
  ["/v1/graphql", "br"],
  ["/v1/graphql", "deflate, identity"],
  ["/v1/mcp", "gzip"],
])(
  "a body to %s in the coding %s is refused, and the client learns that none is taken",
  async (path, coding) => {
    const server = await createGraphql(configure({ MCP: "on" }), api);
    onTestFinished(() => server.close());
    const ask = (more: object) =>
      server.inject({
        ...{ method: "POST", url: path, payload: '{"query":"{ __typename }"}' },
        headers: { ...json, accept: "application/json", ...more },
      });
    const answer = await ask({ "content-encoding": coding });
    expect([answer.statusCode, answer.headers["accept-encoding"], answer.headers.accept]).toEqual([
      415,
      "identity",
      undefined,
    ]);
    expect(answer.body).toContain("the request body must not have a content coding");
    expect((await ask({ "content-encoding": "identity" })).statusCode).not.toBe(415);
  },
);

test.each([
  [{}, "GET, HEAD, POST, OPTIONS"],
  [{ NODE_ENV: "production", GRAPHQL_GET: "off" }, "POST, OPTIONS"],
])("OPTIONS with %j names the methods", async (environment, allowed) => {
  const server = await createGraphql(configure(environment), api);
  onTestFinished(() => server.close());
  const answer = await server.inject({ method: "OPTIONS", url });
  expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([204, allowed, ""]);
});
