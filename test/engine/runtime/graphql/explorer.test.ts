/** The compression of the explorer's page (RFC 9110 §12.5.3). Other tests try the page in a browser. */

import { afterAll, expect, test } from "vitest";
import { buildSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { makePage } from "../../../../src/engine/runtime/graphql/explorer/explorer.ts";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

const server = await createGraphql(configure(), api);
afterAll(() => server.close());

test.each([
  [["authorization", "x-api-key"], "x-api-key"],
  [["x-token"], "x-token"],
  [["authorization"], "authorization"],
  [[], "x-api-key"],
])("where REST takes its credentials in %j, the page sends its key as %s", async (credentials, header) => {
  const { html } = await makePage({ schema: buildSchema(api), operations: [], credentials }, { key: "k" });
  const [, facts = ""] = /<script type="application\/json" id="facts">(.+?)<\/script>/.exec(html) ?? [];
  expect(JSON.parse(facts)).toMatchObject({ key: "k", keyHeader: header });
});

test("the page names no service", async () => {
  const { html } = await makePage({ schema: buildSchema(api), operations: [], credentials: [] }, {});
  expect(html.slice(0, html.indexOf("<style>"))).toContain("<title>GraphQL explorer</title>");
  expect(html.slice(html.indexOf("<header"))).toMatch(
    /^<header class="bar">\s+<h1>GraphQL <span>explorer<\/span><\/h1>/,
  );
});

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
