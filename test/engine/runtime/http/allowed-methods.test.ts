/** A known path answers a method that it does not support with 405 and `Allow`; an unknown path is 404 for every method. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { createServer } from "../../../../src/engine/runtime/http/server.ts";
import { startGateway } from "../../gateway/start.ts";
import { configure } from "../graphql/configure.ts";
import { inFrontOf } from "../graphql/rest-stand-in.ts";

/** The status and `Allow` of a request's answer, and the code in its body. */
async function answerTo(origin: URL, method: string, path: string): Promise<unknown[]> {
  const outgoing = httpRequest(new URL(path, origin), { method, agent: new Agent() }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const body = Buffer.concat(await answer.toArray()).toString();
  return [answer.statusCode, answer.headers.allow, /"code":"(\w+)"/.exec(body)?.[1]];
}

async function listening(server: FastifyInstance): Promise<URL> {
  await server.listen({ port: 0, host: "127.0.0.1" });
  return new URL(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
}

const uncommon = ["PROPFIND", "QUERY", "LOCK", "M-SEARCH", "TRACE"];
const refused = (allow: string) => [405, allow, "METHOD_NOT_ALLOWED"];
const unknown = [404, undefined, "NOT_FOUND"];

test("of the graphql role", async () => {
  const { url: origin } = await inFrontOf((_request, response) => response.end("{}"), { MCP: "on" });
  for (const method of [...uncommon, "PUT", "DELETE"]) {
    const ask = (path: string) => answerTo(origin, method, path);
    for (const path of ["/v1/mcp", "/v1/mcp?a=/x", "/v1/%6dcp"])
      expect(await ask(path)).toEqual(refused("POST"));
    expect(await ask("/v1/graphql")).toEqual(refused("GET, HEAD, POST, OPTIONS"));
    for (const path of ["/healthz", "/readyz"]) expect(await ask(path)).toEqual(refused("GET, HEAD"));
    for (const path of ["/", "/v1/", "/v1/mcp/", "/v1/other", "/v1/graphqlx"])
      expect(await ask(path)).toEqual(unknown);
  }
  expect(await answerTo(origin, "POST", "/healthz")).toEqual(refused("GET, HEAD"));
  expect(await answerTo(origin, "OPTIONS", "/healthz")).toEqual(refused("GET, HEAD"));
});

test("of the gateway: what it forwards, and the methods of its own paths", async () => {
  const { url, rest, graphql } = await startGateway({ env: { MCP: "on" } });
  for (const method of uncommon.filter((each) => each !== "QUERY")) {
    const ask = (path: string) => answerTo(url, method, path);
    expect(await ask("/v1/mcp")).toEqual(refused("POST"));
    expect(await ask("/v1/graphql?a")).toEqual(refused("GET, HEAD, POST, OPTIONS"));
    expect(await ask("/v1/things/1")).toEqual(refused("GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS"));
    expect(await ask("/healthz")).toEqual(refused("GET, HEAD"));
    expect(await ask("/v2/things")).toEqual(unknown);
  }
  expect([...rest.seen, ...graphql.seen]).toEqual([]);
});

test("of a gateway without GraphQL and MCP, as with every other method", async () => {
  const { url } = await startGateway({ graphql: null });
  for (const path of ["/v1/graphql", "/v1/mcp"])
    expect(await answerTo(url, "PROPFIND", path)).toEqual(unknown);
});

test("whatever the body is, which is not read", async () => {
  const { url: origin } = await inFrontOf((_request, response) => response.end("{}"), { MCP: "on" });
  const put = (path: string, body: string, type: string) =>
    fetch(new URL(path, origin), { method: "PUT", body, headers: { "content-type": type } });
  const bodies = [
    ["{", "application/json"],
    ["a", "text/xml"],
    [" ".repeat(2_000_000), "application/json"],
  ] as const;
  for (const [body, type] of bodies) {
    expect((await put("/v1/mcp", body, type)).status).toBe(405);
    expect((await put("/v1/other", body, type)).status).toBe(404);
  }
});

test("of routes with parameters", async () => {
  const server = createServer(configure());
  onTestFinished(() => server.close());
  server.get("/a.b/:id/c", async () => "");
  server.put("/a.b/:id/c", async () => "");
  const origin = await listening(server);
  expect(await answerTo(origin, "PROPFIND", "/a.b/1%2F2/c")).toEqual(unknown);
  expect(await answerTo(origin, "PROPFIND", "/a.b/1/c?x")).toEqual(refused("GET, HEAD, PUT"));
  for (const path of ["/axb/1/c", "/a.b/1/c/d", "/a.b//c"])
    expect(await answerTo(origin, "LOCK", path)).toEqual(unknown);
});
