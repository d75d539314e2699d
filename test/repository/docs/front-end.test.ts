/**
 * docs/guides/front-end.md and examples/clients: each module compiles, runs beside the whole layer and prints what it says;
 * tables are tried.
 */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLClient } from "graphql-request";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adapters } from "../../service/clients/adapters.ts";
import { makeConsumer } from "../../service/clients/consumer.ts";
import { keys, type Layer, startLayer } from "../../service/e2e/layer.ts";
import { blocksOf, foreignExcerpts, modulesOf, read } from "./page.ts";

const page = read("docs/guides/front-end.md");
const modules = modulesOf(page, "examples/clients");
const commands = blocksOf(page, "sh").join("");
const origin = "http://localhost:5173";

let layer: Layer;
beforeAll(async () => {
  const origins = /CORS_ORIGINS=(\S+)/.exec(commands)?.[1];
  layer = await startLayer([], { CORS_ORIGINS: origins });
});
afterAll(() => layer.close());

test("each module compiles", async () => {
  expect(modules.length).toBeGreaterThan(9);
  const consumer = await makeConsumer();
  for (const { name, code } of modules) consumer.write(name, code);
  expect(await consumer.typeErrors()).toBe("");
});

test.each(modules)("$name prints what it says", async ({ name, code, output }) => {
  const consumer = await makeConsumer();
  consumer.write(name, code.replaceAll("http://127.0.0.1:4000", layer.url.origin));
  expect(await consumer.runModule(name, { NO_COLOR: "1" })).toBe(output);
});

test("its excerpts are lines of a module that it links", () => {
  expect(foreignExcerpts(page, "examples/clients")).toEqual([]);
});

describe("a browser", () => {
  const ask = (method: string, from: string, headers: Record<string, string>) =>
    fetch(new URL("/v1/graphql", layer.url), { method, headers: { origin: from, ...headers } });

  test.each(["POST", "GET"])("may send %s with a key from an origin that is named", async (method) => {
    const asked = {
      "access-control-request-method": method,
      "access-control-request-headers": "x-api-key,content-type",
    };
    const { headers } = await ask("OPTIONS", origin, asked);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-methods")).toContain(method);
    expect(headers.get("access-control-allow-headers")).toContain("x-api-key");
    expect(
      (await ask("OPTIONS", "http://localhost:1", asked)).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });

  test("may read the headers that the page names", async () => {
    const { headers } = await ask("GET", origin, { "x-api-key": "none" });
    const exposed = headers.get("access-control-expose-headers") ?? "";
    for (const name of ["x-request-id", "retry-after", "ratelimit-"]) expect(exposed).toContain(name);
  });
});

test("errorPolicy all gives what the page says", async () => {
  const url = new URL("/v1/graphql", layer.url).href;
  const headers = { "X-API-Key": keys.analyst };
  const document = gql("query Start { me { email } contacts { name } }");
  const client = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache: new InMemoryCache() });
  const expected = { me: { email: "noah@harbor.example" }, contacts: null };
  const { data, error } = await client.query({ query: document, errorPolicy: "all" });
  expect(data).toMatchObject(expected);
  expect(CombinedGraphQLErrors.is(error)).toBe(true);
  const other = new GraphQLClient(url, { headers, errorPolicy: "all" });
  expect(await other.request(document)).toEqual(expected);
});

/** What `fetch` does, and its name in the table. */
test("a server that was not reached is the error that the table names", async () => {
  const ends = adapters.map(({ name, open }) =>
    open(
      "http://127.0.0.1:1/v1/graphql",
      "none",
    )({ query: "query Me { me { id } }" }).then(
      () => [name, "an answer"],
      (error: Error & { networkError?: Error }) => [name, error.networkError ? "networkError" : error.name],
    ),
  );
  expect(await Promise.all(ends)).toEqual([
    ["Apollo Client", "TypeError"],
    ["urql", "networkError"],
    ["graphql-request", "TypeError"],
  ]);
});
