/** GraphQL over HTTP, to the letter: the 61 audits of graphql-http, with the explorer on GET and with queries by GET. */
import { serverAudits } from "graphql-http";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../src/graphql/graphql.ts";
import { configure } from "./configure.ts";

async function auditsOf(environment: NodeJS.ProcessEnv) {
  const server = await createGraphql(configure(environment));
  onTestFinished(() => server.close());
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  const results = [];
  for (const audit of serverAudits({ url: `${url}/v1/graphql` })) results.push(await audit.fn());
  return results.map(({ id, name, status }) => ({ status, audit: `${id} ${name}` }));
}

describe("the audits", () => {
  test("at most the three MAY notices that a GET for the explorer costs", async () => {
    const results = await auditsOf({});
    expect(results).toHaveLength(61);
    const open = results.filter(({ status }) => status !== "ok");
    expect(open.map(({ status }) => status)).toEqual(["notice", "notice", "notice"]);
    expect(open.every(({ audit }) => /MAY .*GET/.test(audit))).toBe(true);
  });

  test("all 61 where queries by GET are switched on", async () => {
    const results = await auditsOf({ GRAPHQL_GET: "on" });
    expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(results).toHaveLength(61);
  });
});

describe("status codes", () => {
  const documents = ["{", "{ nothing }", "query ($n: Int!) { __typename @include(if: true) }"];

  test.each([
    ["application/graphql-response+json", 400],
    ["application/json", 200],
    ["*/*", 400],
  ])("a document that fails, to a client that accepts %s, is a %i", async (accept, status) => {
    const server = await createGraphql(configure());
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

  test("a persisted query is refused as the client's doing, in the words that clients know", async () => {
    const server = await createGraphql(configure());
    onTestFinished(() => server.close());
    const answer = await server.inject({
      method: "POST",
      url: "/v1/graphql",
      payload: { extensions: { persistedQuery: { version: 1, sha256Hash: "a" } } },
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { errors: [{ message: "PersistedQueryNotSupported", extensions: { code: "BAD_REQUEST" } }] },
    ]);
  });
});
