/** The compression of the explorer's page (RFC 9110 §12.5.3). Other tests try the page in a browser. */
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
])("Accept-Encoding %s gets the page with Content-Encoding %s", async (accepted, encoding) => {
  const headers = { accept: "text/html", ...(accepted && { "accept-encoding": accepted }) };
  const answer = await server.inject({ method: "GET", url: "/v1/graphql", headers });
  expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, encoding]);
});
