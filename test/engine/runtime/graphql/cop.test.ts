/** The 12 checks of graphql-cop, and its check for stack traces, against the role in production. */

import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

let server: FastifyInstance;
beforeAll(async () => {
  server = await createGraphql(configure({ NODE_ENV: "production" }), api);
});
afterAll(() => server.close());

const url = "/v1/graphql";
const inject = (options: InjectOptions) => server.inject({ url, ...options });
const post = (payload: object) => inject({ method: "POST", payload });
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");

test("alias overloading", async () => {
  const answer = await post({ query: `{ ${times(101, (index) => `alias${index}: __typename`)} }` });
  expect(answer.json().errors[0].extensions).toMatchObject({ code: "LIMIT_EXCEEDED", limit: "MAX_ALIASES" });
});

test("array-based query batching", async () => {
  const answer = await post(Array.from({ length: 10 }, () => ({ query: "{ __typename }" })));
  expect(answer.json()).toMatchObject({
    errors: [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_OPERATIONS" } }],
  });
});

test("directive overloading", async () => {
  const answer = await post({ query: `{ __typename ${times(60, () => "@aa")} }` });
  expect(answer.json().errors).toHaveLength(1);
  expect(answer.json().errors[0].extensions).toMatchObject({
    code: "LIMIT_EXCEEDED",
    limit: "MAX_DIRECTIVES",
  });
});

test("circular query by introspection", async () => {
  const deep = `${"fields { name type { ".repeat(3)}name${" } }".repeat(3)}`;
  const answer = await post({ query: `{ __schema { types { ${deep} } } }` });
  expect([answer.statusCode, answer.json().data]).toEqual([400, undefined]);
});

test("field duplication", async () => {
  const answer = await post({ query: `{ ${times(500, () => "__typename")} }` });
  expect(answer.json().errors[0].extensions).toMatchObject({
    code: "LIMIT_EXCEEDED",
    limit: "MAX_ROOT_FIELDS",
  });
});

test("field suggestions", async () => {
  for (const query of [
    "{ contactss { id } }",
    "{ me { emal } }",
    '{ contacts(qq: "a") { id } }',
    "{ me @includ }",
  ])
    expect((await post({ query })).body).not.toMatch(/Did you mean/);
});

test("an IDE", async () => {
  const answer = await inject({ method: "GET", headers: { accept: "text/html" } });
  expect(answer.statusCode).toBe(406);
  expect(answer.body).not.toMatch(/graphiql|<html/i);
});

test("trace mode", async () => {
  const answer = await post({ query: "{ __typename }" });
  expect(answer.json()).toEqual({ data: { __typename: "Query" } });
});

test("queries by GET that a page of another site made the browser send", async () => {
  const headers = { "sec-fetch-site": "cross-site", accept: "*/*" };
  const answer = await inject({ method: "GET", query: { query: "{ __typename }" }, headers });
  expect([answer.statusCode, answer.json().data]).toEqual([400, undefined]);
});

test.each(["GET", "HEAD"] as const)("mutations by %s", async (method) => {
  const query = 'mutation { sendMessage(channel: "sms", to: "1", body: "b") { id } }';
  const answer = await inject({ method, query: { query } });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "POST"]);
});

test("queries by form", async () => {
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
    const answer = await inject({
      method: "POST",
      headers: { "content-type": type },
      payload: "query=%7B__typename%7D",
    });
    expect([answer.statusCode >= 400, answer.body.includes('"data"')]).toEqual([true, false]);
  }
});

test("introspection", async () => {
  for (const query of ["{ __schema { queryType { name } } }", '{ __type(name: "Query") { name } }'])
    expect((await post({ query })).json()).toMatchObject({
      errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }],
    });
});

test("unhandled errors", async () => {
  for (const query of ["qwerty cop {abc}", "{", "\u0000", "{ me(id: 1) { id } }"]) {
    const answer = await post({ query });
    expect(answer.statusCode).toBe(400);
    expect(answer.body).not.toMatch(/exception|stack|node_modules|\.ts:/i);
  }
});
