/** When a client leaves, its reads end at the upstream and its mutations finish there. */
import { expect, test } from "vitest";
import { inFrontOf, send } from "./rest-stand-in.ts";

const message = {
  id: "1",
  conversationId: "1",
  status: "sent",
  body: "b",
  createdAt: "2026-11-21T00:00:00Z",
};

test("reads are aborted within 100 ms", async () => {
  const ends: number[] = [];
  let arrived = 0;
  const { post } = await inFrontOf((_request, response) => {
    arrived++;
    response.once("close", () => ends.push(performance.now()));
  });
  const leaving = new AbortController();
  post("{ me { id } agents { id } contacts { id } }", { signal: leaving.signal }).catch(() => {});
  await expect.poll(() => arrived).toBe(3);
  const left = performance.now();
  leaving.abort();
  await expect.poll(() => ends.length, { timeout: 1_000, interval: 5 }).toBe(3);
  expect(Math.max(...ends) - left).toBeLessThan(100);
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
  await expect.poll(() => finished, { timeout: 2_000 }).toBe(2);
  expect(seen.filter((call) => call.startsWith("GET"))).toEqual([]);
});
