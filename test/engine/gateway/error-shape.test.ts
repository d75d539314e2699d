/** One error shape on one URL: `/v1/graphql` answers with GraphQL, whatever fails; REST paths with problem details. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { drip, statuses } from "../runtime/http/drip.ts";
import { goodKey, listen, wrongKey } from "./fakes.ts";
import { graphqlError, problem } from "./read-error.ts";
import { refusingUrl, type Started, startGateway } from "./start.ts";

const key = { "x-api-key": goodKey };
type Given = { method?: string; headers?: Record<string, string>; body?: string };

/** A gateway with the same broken upstream behind both paths. */
async function behind(upstream: URL, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  return startGateway({ rest: upstream, graphql: upstream, env });
}

async function silent(): Promise<URL> {
  const { url, close } = await listen(() => {});
  onTestFinished(close);
  return url;
}

const down = async (): Promise<Started> => behind(await refusingUrl());
const timedOut = async (): Promise<Started> => behind(await silent(), { REQUEST_TIMEOUT_MS: "200" });
const breakingOff = async (): Promise<Started> => {
  const { url, close } = await listen((request) => request.socket.destroy());
  onTestFinished(close);
  return behind(url);
};
const keysDown = async (): Promise<Started> => startGateway({ keyIntrospection: await refusingUrl() });
const limited = async (): Promise<Started> => {
  const started = await startGateway({ env: { NODE_ENV: "production", RATE_LIMIT_PER_KEY: "1" } });
  await fetch(new URL("/v1/a", started.url), { headers: key });
  return started;
};
const small = (): Promise<Started> => startGateway({ env: { MAX_BODY_BYTES: "10", MAX_HEADERS: "16" } });
const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, "a"]));

const rows: [string, () => Promise<Started>, Given, number, Record<string, unknown>][] = [
  ["no key", startGateway, {}, 401, { code: "UNAUTHENTICATED" }],
  ["a wrong key", startGateway, { headers: { "x-api-key": wrongKey } }, 401, { code: "UNAUTHENTICATED" }],
  [
    "two keys",
    startGateway,
    { headers: { ...key, authorization: "Bearer a" } },
    400,
    { code: "BAD_REQUEST" },
  ],
  [
    "a body too large",
    small,
    { headers: key, body: "a".repeat(11) },
    413,
    { limit: "MAX_BODY_BYTES", value: 10 },
  ],
  ["too many headers", small, { headers: { ...key, ...many } }, 431, { limit: "MAX_HEADERS", value: 16 }],
  ["a rate limit", limited, { headers: key }, 429, { code: "RATE_LIMITED", retryAfter: expect.any(Number) }],
  ["key introspection down", keysDown, { headers: key }, 503, { code: "SERVICE_UNAVAILABLE", retryAfter: 1 }],
  ["an upstream down", down, { headers: key }, 503, { code: "UPSTREAM_UNAVAILABLE" }],
  ["a silent upstream", timedOut, { headers: key }, 504, {}],
  ["an upstream that breaks off", breakingOff, { headers: key }, 503, { code: "UPSTREAM_UNAVAILABLE" }],
];

test.each(rows)("%s", async (_name, start, { headers = {}, body = "{}" }, status, details) => {
  const { url } = await start();
  const post = (path: string): Promise<Response> => {
    const given = { ...headers, "x-request-id": "request-1234", "content-type": "application/json" };
    return fetch(new URL(path, url), { method: "POST", headers: given, body });
  };
  const graphql = await post("/v1/graphql?a=1");
  const rest = await post("/v1/things");
  expect([graphql.status, rest.status]).toEqual([status, status]);
  expect(await graphqlError(graphql)).toMatchObject({ ...details, requestId: "request-1234" });
  expect(await problem(rest)).toMatchObject({ ...details, status });
  for (const name of ["www-authenticate", "retry-after", "allow", "cache-control"])
    expect(graphql.headers.get(name), name).toBe(rest.headers.get(name));
  expect(graphql.headers.has("www-authenticate")).toBe(status === 401);
  expect(graphql.headers.has("retry-after")).toBe("retryAfter" in details);
});

test("a silent graphql role is not called the product's time-out", async () => {
  const { url } = await timedOut();
  const ask = (path: string) => fetch(new URL(path, url), { method: "POST", headers: key, body: "{}" });
  expect(await graphqlError(await ask("/v1/graphql"))).toMatchObject({ code: "SERVICE_TIMEOUT" });
  expect(await problem(await ask("/v1/things"))).toMatchObject({ code: "UPSTREAM_TIMEOUT" });
});

test("TRACE is a 405 with Allow", async () => {
  const { url } = await startGateway();
  const outgoing = httpRequest(new URL("/v1/graphql", url), { method: "TRACE", agent: new Agent() }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  answer.resume();
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
});

test("a body that comes too slowly is a 408", async () => {
  const { url } = await startGateway({ env: { REQUEST_TIMEOUT_MS: "500" } });
  const { text, closed } = drip(url, "/v1/graphql", [`X-API-Key: ${goodKey}`]);
  await closed;
  expect(statuses(text())).toEqual(["408"]);
  expect(JSON.parse(text().split("\r\n\r\n")[1] ?? "")).toMatchObject({
    errors: [{ extensions: { code: "REQUEST_TIMEOUT", requestId: expect.any(String) } }],
  });
});

describe("the media type", () => {
  test.each([
    ["application/graphql-response+json", "application/graphql-response+json; charset=utf-8"],
    [
      "application/graphql-response+json, application/json;q=0.9",
      "application/graphql-response+json; charset=utf-8",
    ],
    ["application/json", "application/json; charset=utf-8"],
    ["text/html", "application/json; charset=utf-8"],
    ["*/*", "application/json; charset=utf-8"],
  ])("for a client that accepts %s is %s", async (accept, type) => {
    const { url } = await startGateway();
    const answer = await fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers: { accept },
      body: "{}",
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([401, type]);
  });
});

test("OPTIONS without CORS names the methods, needs no key, and is not forwarded", async () => {
  const { url, graphql } = await startGateway();
  const answer = await fetch(new URL("/v1/graphql", url), { method: "OPTIONS" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  expect(graphql.seen).toEqual([]);
});
