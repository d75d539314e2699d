/** What one tenant, or all explorers, may have in progress. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { gatewayBodies, gatewayConnections } from "../../../src/engine/runtime/settings/capacity.ts";
import { alone } from "../runtime/governor/alone.ts";
import { contextOf, goodKey, makeKey, otherKey } from "./fakes.ts";
import { graphqlError, problem } from "./read-error.ts";
import { startGateway, upstream } from "./start.ts";

const share = alone(gatewayConnections);
const headers = { "x-api-key": goodKey };
const me = "/v1/identity/me";

test("one tenant has two thirds of the connections, and gets them back", async () => {
  let waiting = 0;
  const rest = await upstream((request, response) => {
    if (request.url?.endsWith("/slow")) waiting++;
    else response.end();
  });
  const { url } = await startGateway({ rest });
  const status = async (key: string): Promise<number> =>
    (await fetch(new URL(me, url), { headers: { "x-api-key": key } })).status;
  const leaving = new AbortController();
  const slow = { headers, signal: leaving.signal };
  for (let count = 0; count < share; count++) void fetch(new URL("/v1/slow", url), slow).catch(() => {});
  await expect.poll(() => waiting).toBe(share);
  const refused = await fetch(new URL(me, url), { headers });
  expect(await problem(refused)).toMatchObject({ code: "RATE_LIMITED", retryAfter: 1 });
  expect(await status(otherKey)).toBe(200);
  leaving.abort();
  await expect.poll(() => status(goodKey)).toBe(200);
});

test("twelve tenants take all they can, the thirteenth is served, and a full house is no fault of its tenants", async () => {
  let waiting = 0;
  const rest = await upstream((request, response) => {
    if (request.url === me) response.end();
    else waiting++;
  });
  const { url, keys } = await startGateway({ rest, env: { REQUEST_TIMEOUT_MS: "300000" } });
  const keyOf = (tenant: string): string => {
    const key = makeKey(tenant);
    keys.answers.set(key, contextOf(tenant));
    return key;
  };
  const leaving = new AbortController();
  const statuses: number[] = [];
  const hold = async (key: string): Promise<void> => {
    const sent = { headers: { "x-api-key": key }, signal: leaving.signal };
    statuses.push((await fetch(new URL("/v1/slow", url), sent)).status);
  };
  const small = keyOf("small");
  for (let tenant = 0; tenant < 12; tenant++) {
    const key = keyOf(`tenant${tenant}`);
    const before = waiting + statuses.length;
    for (let count = 0; count < 100 + 80 * Number(tenant === 0); count++) void hold(key).catch(() => {});
    await expect.poll(() => waiting + statuses.length).toBe(before + 100 + 80 * Number(tenant === 0));
  }
  expect(waiting).toBeGreaterThan(200);
  expect(statuses).toContain(503);
  const get = (key: string, path: string) => fetch(new URL(path, url), { headers: { "x-api-key": key } });
  expect((await get(small, me)).status).toBe(200);
  const before = waiting;
  void hold(small).catch(() => {});
  await expect.poll(() => waiting).toBe(before + 1);
  expect(await problem(await get(small, me))).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfter: 1 });
  leaving.abort();
  await expect.poll(async () => (await get(small, me)).status).toBe(200);
});

test("a client that leaves while its key is looked up frees its tenant's share", async () => {
  const { url, keys, rest } = await startGateway();
  let arrived = 0;
  let ended = 0;
  const count = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.headers.host !== url.host) return;
    arrived++;
    response.once("close", () => ended++);
  };
  subscribe("http.server.request.start", count);
  onTestFinished(() => void unsubscribe("http.server.request.start", count));
  const looking = Promise.withResolvers<void>();
  keys.behaviour.until = looking.promise;
  const leaving = new AbortController();
  const left = Array.from({ length: 128 }, () =>
    fetch(new URL(me, url), { headers, signal: leaving.signal }).catch(() => {}),
  );
  await expect.poll(() => arrived).toBe(128);
  await expect.poll(() => keys.asked.length).toBe(1);
  leaving.abort();
  await Promise.all(left);
  await expect.poll(() => ended).toBe(128);
  looking.resolve();
  await expect.poll(async () => (await fetch(new URL(me, url), { headers })).status).toBe(200);
  expect(rest.seen).toHaveLength(1);
});

test("all who open the explorer have an eighth of the connections, and get them back", async () => {
  let waiting = 0;
  const graphql = await upstream((request, response) => {
    if (request.method === "GET" && request.headers.accept === "text/html, text/slow") waiting++;
    else response.end();
  });
  const { url } = await startGateway({ graphql: new URL("/v1/graphql", graphql) });
  const open = (accept: string, signal?: AbortSignal): Promise<Response> =>
    fetch(new URL("/v1/graphql", url), { headers: { accept }, ...(signal ? { signal } : {}) });
  const leaving = new AbortController();
  for (let count = 0; count < 32; count++) void open("text/html, text/slow", leaving.signal).catch(() => {});
  await expect.poll(() => waiting).toBe(32);
  expect(await graphqlError(await open("text/html"))).toMatchObject({ code: "RATE_LIMITED", retryAfter: 1 });
  const post = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body: "{}" });
  expect(post.status).toBe(200);
  leaving.abort();
  await expect.poll(async () => (await open("text/html")).status).toBe(200);
});

test("a tenant's bodies are kept up to a bound, and a small one passes again", async () => {
  const waiting: ServerResponse[] = [];
  const rest = await upstream((request, response) => {
    if (request.url === "/v1/slow") waiting.push(response);
    else request.resume().on("end", () => response.end());
  });
  const { url } = await startGateway({ rest, env: { MAX_BODY_BYTES: "1000" } });
  const send = (path: string, key = goodKey) =>
    fetch(new URL(path, url), { method: "POST", headers: { "x-api-key": key }, body: "a".repeat(1_000) });
  const length = alone(gatewayBodies * 1_000, 1_000);
  const slow = Array.from({ length }, () => send("/v1/slow"));
  await expect.poll(() => waiting.length).toBe(length);
  expect(await problem(await send(me))).toMatchObject({ code: "RATE_LIMITED", retryAfter: 1 });
  expect((await fetch(new URL(me, url), { headers })).status).toBe(200);
  expect((await send(me, otherKey)).status).toBe(200);
  for (const response of waiting) response.end();
  await Promise.all(slow);
  await expect.poll(async () => (await send(me)).status).toBe(200);
});
