/** The path of a request decides its upstream; the explorer alone needs no key. */
import { describe, expect, test } from "vitest";
import { goodKey } from "./fakes.ts";
import { graphqlError, problem } from "./read-error.ts";
import { startGateway, upstream } from "./start.ts";

const headers = { "x-api-key": goodKey };

describe("routing", () => {
  test("/v1/graphql goes to GraphQL, all else under /v1/ to REST with its path prefix", async () => {
    const rest = await upstream((request, response) => response.end(request.url));
    const { url, graphql } = await startGateway({ rest: new URL("/platform/api/", rest) });
    await fetch(new URL("/v1/graphql?a=1", url), { method: "POST", headers, body: "{}" });
    expect(graphql.seen.map(({ url: path, body }) => [path, body])).toEqual([["/v1/graphql?a=1", "{}"]]);
    const answer = await fetch(new URL("/v1/things/a%20b?q=x%2Fy&ids=1,2", url), { headers });
    expect(await answer.text()).toBe("/platform/api/v1/things/a%20b?q=x%2Fy&ids=1,2");
  });

  test("/v1/graphql and /v1/mcp are 404 where there is no GraphQL and no MCP", async () => {
    const { url, rest } = await startGateway({ graphql: null });
    const ask = (path: string) => fetch(new URL(path, url), { method: "POST", headers, body: "{}" });
    const answer = await ask("/v1/graphql");
    expect(answer.status).toBe(404);
    expect(await graphqlError(answer)).toMatchObject({ code: "NOT_FOUND" });
    expect((await ask("/v1/mcp")).status).toBe(404);
    expect(rest.seen).toEqual([]);
  });

  test("the error of a request without a key names the header for it", async () => {
    const { url } = await startGateway();
    expect(await problem(await fetch(new URL("/v1/things", url)))).toMatchObject({
      detail: "an API key is needed, in the header x-api-key or authorization",
    });
  });

  test("health needs no key, and nothing outside /v1/ is forwarded", async () => {
    const { url, rest } = await startGateway();
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    expect((await fetch(new URL("/readyz", url))).status).toBe(200);
    for (const path of ["/", "/internal/keys/introspect", "/metrics", "/v2/x", "/healthz/x"]) {
      expect(await problem(await fetch(new URL(path, url), { headers }))).toMatchObject({
        code: "NOT_FOUND",
      });
    }
    expect(rest.seen).toEqual([]);
  });
});

describe("the explorer", () => {
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  test("opens in a browser without a key, context, proof or query", async () => {
    const { url, graphql, keys } = await startGateway();
    const answer = await fetch(new URL("/v1/graphql?query={me{id}}", url), { headers: browser });
    expect(answer.status).toBe(200);
    expect(graphql.seen[0]?.url).toBe("/v1/graphql");
    const names = Object.keys(graphql.seen[0]?.headers ?? {});
    expect(names.filter((name) => /^x-service-|proof|api-key|authorization/.test(name))).toEqual([]);
    expect(keys.asked).toEqual([]);
  });

  test.each([
    ["in production", { NODE_ENV: "production" }, "GET", browser],
    ["for a client that wants JSON", {}, "GET", { accept: "application/json" }],
    ["for a POST", {}, "POST", browser],
    ["with a wrong key", {}, "GET", { ...browser, "x-api-key": "nonsense" }],
  ])("is 401 %s", async (_name, env, method, given) => {
    const { url, graphql } = await startGateway({ env });
    const answer = await fetch(new URL("/v1/graphql", url), { method, headers: given });
    expect(await graphqlError(answer)).toMatchObject({ code: "UNAUTHENTICATED" });
    expect(graphql.seen).toEqual([]);
  });
});
