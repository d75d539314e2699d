/** Queries by GET (GraphQL over HTTP §5.3): execution, the refusal of forged requests, and the responses with 405. */

import type { InjectOptions } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";
import { inFrontOf, send } from "./rest-stand-in.ts";

const url = "/v1/graphql";
const query = "{ __typename }";

async function get(options: InjectOptions, environment: NodeJS.ProcessEnv = {}) {
  const server = await createGraphql(configure(environment), api);
  onTestFinished(() => server.close());
  return server.inject({ method: "GET", url, ...options });
}

test("a query with all four parameters is executed with the caller's credential", async () => {
  const seen: unknown[] = [];
  const { url: address } = await inFrontOf((request, response) => {
    seen.push([request.url, request.headers["x-api-key"]]);
    send(response, { items: [] });
  });
  address.search = String(
    new URLSearchParams({
      query: "query A($q: String) { contacts(q: $q) { id } } query B { __typename }",
      operationName: "A",
      variables: '{"q":"ada"}',
      extensions: "{}",
    }),
  );
  const answer = await fetch(address, {
    headers: { accept: "application/graphql-response+json", "x-api-key": "key" },
  });
  expect([answer.status, answer.headers.get("content-type"), await answer.json()]).toEqual([
    200,
    "application/graphql-response+json; charset=utf-8",
    { data: { contacts: [] } },
  ]);
  expect(seen).toEqual([[expect.stringContaining("q=ada"), "key"]]);
});

test("an empty operation name counts as absent", async () => {
  expect((await get({ query: { query, operationName: "" } })).json()).toEqual({
    data: { __typename: "Query" },
  });
});

test("a browser's navigation shows the explorer, even if the URL has a query", async () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const answer = await get({ query: { query }, headers: { accept, "sec-fetch-site": "none" } });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
});

describe("a query by GET", () => {
  const crossSite = { "sec-fetch-site": "cross-site" };
  const refused = (headers: Record<string, string>) =>
    get({ query: { query }, headers }).then(({ statusCode, body }) => [statusCode, body.includes('"data"')]);

  test.each([
    ["a browser's image or script", crossSite],
    ["a page of a neighbouring domain", { "sec-fetch-site": "same-site" }],
    ["a page in a browser that sends only Origin", { origin: "https://elsewhere.example" }],
    ["a browser with Basic credentials", { ...crossSite, authorization: "Basic YTpi" }],
    ["a form", { ...crossSite, "content-type": "text/plain; charset=utf-8" }],
  ])("is refused from another site without a header that asks for a preflight: %s", async (_who, headers) => {
    expect(await refused(headers)).toEqual([400, false]);
  });

  test.each([
    ["a client that is not a browser", {}],
    ["a page of the same origin", { "sec-fetch-site": "same-origin" }],
    ["a page of another origin with a key", { ...crossSite, "x-api-key": "key" }],
    ["a page of another origin with a token", { ...crossSite, authorization: "Bearer key" }],
    ["Apollo Client", { ...crossSite, "content-type": "application/json" }],
    ["Apollo's mobile clients", { ...crossSite, "x-apollo-operation-name": "A" }],
    ["a client that asks for a preflight", { ...crossSite, "apollo-require-preflight": "true" }],
  ])("is executed for %s", async (_who, headers) => {
    expect(await refused(headers)).toEqual([200, true]);
  });
});

test("with queries by GET switched off, the refusal names the setting", async () => {
  const answer = await get({ query: { query } }, { GRAPHQL_GET: "off" });
  expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([
    405,
    "POST",
    expect.stringContaining("GRAPHQL_GET is off"),
  ]);
});

test("a mutation by GET is refused with a code", async () => {
  const mutation = 'mutation { sendMessage(channel: "sms", to: "1", body: "b") { id } }';
  const answer = await get({ query: { query: mutation } });
  expect([answer.statusCode, answer.headers.allow, answer.json().errors[0].extensions.code]).toEqual([
    405,
    "POST",
    "METHOD_NOT_ALLOWED",
  ]);
});
