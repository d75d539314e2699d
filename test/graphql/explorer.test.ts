/** How the explorer's page travels (RFC 9110 §12.5.3); what it does is tried in a browser. */
import { afterAll, expect, test } from "vitest";
import { createGraphql } from "../../src/graphql/graphql.ts";
import { configure } from "./configure.ts";

const server = await createGraphql(configure());
afterAll(() => server.close());

test.each([
  ["gzip, deflate, br", "br"],
  ["br;q=0, gzip", "gzip"],
  ["identity", undefined],
  ["zstd", undefined],
  [undefined, undefined],
])("for %s the page comes as %s", async (accepted, encoding) => {
  const headers = { accept: "text/html", ...(accepted && { "accept-encoding": accepted }) };
  const answer = await server.inject({ method: "GET", url: "/v1/graphql", headers });
  expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, encoding]);
});
