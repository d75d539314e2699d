/** When a client leaves, its reads end at the upstream and its mutations finish there. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import { largeAnswers, largeBodies } from "../../../../src/engine/runtime/settings/capacity.ts";
import { inFrontOf, message, send } from "./rest-stand-in.ts";

/** None of them ends a call of these tests. */
const deadlines = { CALL_TIMEOUT_MS: "120000", REQUEST_TIMEOUT_MS: "120000" };

test("reads are aborted", async () => {
  let arrived = 0;
  let ended = 0;
  const { post } = await inFrontOf((_request, response) => {
    arrived++;
    response.once("close", () => ended++);
  }, deadlines);
  const leaving = new AbortController();
  post("{ me { id } agents { id } contacts { id } }", { signal: leaving.signal }).catch(() => {});
  await expect.poll(() => arrived).toBe(3);
  const left = performance.now();
  leaving.abort();
  await expect.poll(() => ended).toBe(3);
  expect(performance.now() - left).toBeLessThan(10_000);
});

test("all mutations finish, and no read starts after the client has left", async () => {
  const seen: string[] = [];
  let finished = 0;
  const { post } = await inFrontOf((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.once("finish", () => finished++);
    if (request.method === "POST") setTimeout(() => send(response, message, 201), 200);
  });
  const one = (name: string): string =>
    `${name}: sendMessage(channel: "sms", to: "+12025550143", body: "b") { id conversation { id } }`;
  const leaving = new AbortController();
  post(`mutation { ${one("a")} ${one("b")} }`, { signal: leaving.signal }).catch(() => {});
  await expect.poll(() => seen.length).toBe(1);
  leaving.abort();
  await expect.poll(() => finished).toBe(2);
  expect(seen.filter((call) => call.startsWith("GET"))).toEqual([]);
});

test("a large answer that is made after its client has left holds no bytes", async () => {
  const sent = Promise.withResolvers<void>();
  const large = { ...message, body: "x".repeat(largeAnswers.from) };
  const { post, server } = await inFrontOf((_request, response) => {
    response.once("finish", sent.resolve);
    setTimeout(() => send(response, large, 201), 200);
  });
  const leaving = new AbortController();
  const mutation = 'mutation { sendMessage(channel: "sms", to: "+12025550143", body: "b") { body } }';
  post(mutation, { signal: leaving.signal }).catch(() => {});
  await expect.poll(() => server.quotas.executing?.used).toBe(1);
  leaving.abort();
  await sent.promise;
  await sleep(100); // the answer is made of the response
  expect(Object.entries(server.quotas).filter(([, { used: held }]) => held !== 0)).toEqual([]);
});

test("a mutation counts until it is done, with its body, also after its client has left", async () => {
  const open = Promise.withResolvers<void>();
  let arrived = 0;
  const { url, server } = await inFrontOf((_request, response) => {
    arrived++;
    void open.promise.then(() => send(response, message, 201));
  }, deadlines);
  const query = 'mutation { sendMessage(channel: "sms", to: "+12025550143", body: "b") { id } }';
  const body = JSON.stringify({ query, variables: { unused: "x".repeat(largeBodies.from) } });
  const headers = { "content-type": "application/json", "x-api-key": "key" };
  const leaving = new AbortController();
  fetch(url, { method: "POST", headers, body, signal: leaving.signal }).catch(() => {});
  await expect.poll(() => arrived).toBe(1);
  const ended = new Promise<void>((resolve) => onTestFinished(subscribe({ requestEnded: () => resolve() })));
  leaving.abort();
  await ended;
  const held = () => [server.quotas.requests_in_flight?.used, server.quotas.bodies?.used];
  expect(held()).toEqual([1, body.length]);
  open.resolve();
  await expect.poll(held).toEqual([0, 0]);
});
