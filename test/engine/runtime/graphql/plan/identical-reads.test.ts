/** Identical reads of one operation are one REST call, even from different fields. Other arguments are another call. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../../src/engine/server/graphql-role.ts";
import { api } from "../../../desk/generated/index.ts";
import { configure } from "../configure.ts";

test("aliases and fields with identical reads share one call within a request", async () => {
  const calls: string[] = [];
  const upstream = createServer((request, response) => {
    calls.push(request.url ?? "");
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ items: [{ id: "1", name: "A" }] }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void upstream.close());
  await new Promise((resolve) => upstream.once("listening", resolve));
  const { port } = upstream.address() as AddressInfo;
  const server = await createGraphql(configure({ REST_BASE_URL: `http://127.0.0.1:${port}` }), api);
  onTestFinished(() => server.close());
  const query = `{ a: contacts(q: "x") { id } b: contacts(q: "x") { name } c: contacts(q: "y") { id } }`;
  const ask = () => server.inject({ method: "POST", url: "/v1/graphql", payload: { query } });
  expect((await ask()).json()).toEqual({ data: { a: [{ id: "1" }], b: [{ name: "A" }], c: [{ id: "1" }] } });
  expect(calls.toSorted()).toEqual(["/v1/crm/contacts?q=x", "/v1/crm/contacts?q=y"]);
  await ask();
  expect(calls).toHaveLength(4);
});
