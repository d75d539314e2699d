/** GraphQL over HTTP: the 61 audits of graphql-http, statuses, parameters and media types. */

import { serverAudits } from "graphql-http";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

async function auditsOf(environment: NodeJS.ProcessEnv) {
  const server = await createGraphql(configure(environment), api);
  onTestFinished(() => server.close());
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  const results = [];
  for (const audit of serverAudits({ url: `${url}/v1/graphql` })) results.push(await audit.fn());
  return results.map(({ id, name, status }) => ({ status, audit: `${id} ${name}` }));
}

describe("the audits", () => {
  test("all 61 pass", async () => {
    const results = await auditsOf({});
    expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(results).toHaveLength(61);
  });

  test("at most three MAY notices with queries by GET switched off", async () => {
    const results = await auditsOf({ GRAPHQL_GET: "off" });
    expect(results).toHaveLength(61);
    const open = results.filter(({ status }) => status !== "ok");
    expect(open.map(({ status }) => status)).toEqual(["notice", "notice", "notice"]);
    expect(open.every(({ audit }) => /MAY .*GET/.test(audit))).toBe(true);
  });
});

describe("status codes", () => {
  const documents = ["{", "{ nothing }", "query ($n: Int!) { __typename @include(if: true) }"];

  test.each([
    ["application/graphql-response+json", 400],
    ["application/json", 200],
    ["*/*", 400],
  ])("a document that fails, to a client that accepts %s, is a %i", async (accept, status) => {
    const server = await createGraphql(configure(), api);
    onTestFinished(() => server.close());
    for (const query of documents) {
      const answer = await server.inject({
        method: "POST",
        url: "/v1/graphql",
        headers: { accept },
        payload: { query },
      });
      expect(answer.statusCode).toBe(status);
      expect(answer.json().data).toBeUndefined();
    }
  });
});

describe("parameters", () => {
  const post = async (payload: unknown, headers = {}, environment: NodeJS.ProcessEnv = {}) => {
    const server = await createGraphql(configure(environment), api);
    onTestFinished(() => server.close());
    return server.inject({ method: "POST", url: "/v1/graphql", headers, payload: payload as object });
  };
  const query = "query A ($yes: Boolean = true) { __typename @include(if: $yes) } query B { b: __typename }";

  test.each([
    [[], /object/],
    [[{ query: "{ __typename }" }], /object/],
    [{ query: ["{ __typename }"] }, /"query"/],
    [{ documentId: 1 }, /"documentId"/],
    [{}, /neither a query nor the id/],
    [{ query, operationName: 1 }, /"operationName"/],
    [{ query, variables: "{}" }, /"variables"/],
    [{ query, variables: [] }, /"variables"/],
    [{ query, extensions: 0 }, /"extensions"/],
  ])("%j are refused", async (payload, message) => {
    const answer = await post(payload);
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
      400,
      "application/json; charset=utf-8",
    ]);
    expect(answer.json()).toEqual({
      errors: [
        {
          message: expect.stringMatching(message),
          extensions: { code: "BAD_REQUEST", requestId: expect.any(String) },
        },
      ],
    });
  });

  test("that are null count as absent", async () => {
    const answer = await post({
      query: "{ __typename }",
      operationName: null,
      variables: null,
      extensions: null,
    });
    expect(answer.json()).toEqual({ data: { __typename: "Query" } });
  });

  test("of a GET: variables are JSON, and a repeated parameter is refused", async () => {
    const server = await createGraphql(configure(), api);
    onTestFinished(() => server.close());
    const get = async (search: Partial<Record<string, string | string[]>>) =>
      (await server.inject({ url: "/v1/graphql", query: search as Record<string, string> })).json();
    expect(await get({ query, operationName: "A", variables: '{"yes":false}' })).toEqual({ data: {} });
    for (const search of [
      { query, operationName: "A", variables: "{yes" },
      { query, operationName: "A", variables: "1" },
      { query: [query, query], operationName: "A" },
    ])
      expect(await get(search)).toMatchObject({ errors: [{ extensions: { code: "BAD_REQUEST" } }] });
  });

  test("of a batch: results keep the order of operations, and the status is the highest", async () => {
    const operations = [
      { query, operationName: "B" },
      { query: "{ nothing }" },
      "text",
      { query: "{ c: __typename }" },
    ];
    const answer = await post(operations, {}, { MAX_OPERATIONS: "4" });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject([
      { data: { b: "Query" } },
      { errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }] },
      { errors: [{ extensions: { code: "BAD_REQUEST" } }] },
      { data: { c: "Query" } },
    ]);
    expect(
      (await post(operations, { accept: "application/json" }, { MAX_OPERATIONS: "3" })).json(),
    ).toMatchObject({
      errors: [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_OPERATIONS" } }],
    });
  });
});

test.each([
  [undefined, "application/json"],
  ["text/html, */*;q=0.1", "application/json"],
  ["application/*", "application/json"],
  ["application/graphql-response+json, application/json;q=0.9", "application/graphql-response+json"],
  ["application/json;q=0.5, application/graphql-response+json", "application/graphql-response+json"],
  ["text/html", undefined],
  ["application/json;q=0", undefined],
])("to a client that accepts %s the answer is %s", async (accept, type) => {
  const server = await createGraphql(configure(), api);
  onTestFinished(() => server.close());
  const headers = accept === undefined ? {} : { accept };
  const answer = await server.inject({
    method: "POST",
    url: "/v1/graphql",
    headers,
    payload: { query: "{ __typename }" },
  });
  expect(answer.statusCode).toBe(type ? 200 : 406);
  expect(answer.headers["content-type"]).toBe(`${type ?? "application/json"}; charset=utf-8`);
});
