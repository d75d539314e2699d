/**
 * Clients leave at random moments, while REST answers, refuses, drips or says nothing. What was counted or kept for their
 * requests is gone afterwards: places, bytes, calls, timers. A client that stays and does not read holds no place either.
 */
import { request as call, type ServerResponse } from "node:http";
import net from "node:net";
import { performance } from "node:perf_hooks";
import { brotliCompressSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import type { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import { decompressedAtOnce, executedAtOnce } from "../../../../src/engine/runtime/settings/capacity.ts";
import { randomOf } from "../../../support/random.ts";
import { seed } from "../../../support/seed.ts";
import { countedKeys } from "./counted-keys.ts";
import { inFrontOf, me, message } from "./rest-stand-in.ts";

const large = JSON.stringify({ ...me, items: [], email: "x".repeat(200_000) });
const compressed = brotliCompressSync(large);

const bodies = [
  "{ me { id } }",
  "{ me { id email } agents { id } contacts { id } }",
  'mutation { sendMessage(channel: "sms", to: "+12025550143", body: "b") { id conversation { id } } }',
  '{ a: agent(id: "1") { id } b: agent(id: "2") { id } }',
  "{ no such field }",
].map((query) => JSON.stringify({ query }));
bodies.push(JSON.stringify({ query: "{ me { id } }", variables: { unused: "x".repeat(30_000) } }), "{");

function withLoop(utilization: number): void {
  const loop = vi
    .spyOn(performance, "eventLoopUtilization")
    .mockReturnValue({ utilization, active: 1, idle: 1 });
  onTestFinished(() => loop.mockRestore());
}

test("responses that their client does not read hold no place", async () => {
  withLoop(1);
  const body = JSON.stringify({ ...me, email: "x".repeat(900_000) });
  const { url, server } = await inFrontOf((_request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(body),
  );
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  const requests = 2 * executedAtOnce;
  for (let index = 0; index < requests; index++) {
    const query = `query=%7Bme%7Bemail%20a${index}:id%7D%7D`;
    socket.write(`GET ${url.pathname}?${query} HTTP/1.1\r\nHost: a\r\nX-Api-Key: key\r\n\r\n`);
  }
  await expect.poll(() => server.executions.count).toBe(requests);
});

test.each([
  ["is busy", 1],
  ["has time to spare", 0.1],
])("while the event loop %s, nothing is left of clients that leave", async (name, utilization) => {
  withLoop(utilization);
  const left = countedKeys();
  const random = randomOf(seed, name);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const json = { "content-type": "application/json" };
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(200, json).end(JSON.stringify(me)),
    (response) => response.writeHead(200, json).end(large),
    (response) => response.writeHead(200, { ...json, "content-encoding": "br" }).end(compressed),
    (response) => response.writeHead(200, { ...json, "cache-control": "max-age=1", etag: '"1"' }).end(large),
    (response) => response.writeHead(oneOf([401, 403, 404, 500]), json).end("{}"),
    (response) => void response.writeHead(200, json).write(large.slice(0, 100_000)), // drips
    (response) => response.destroy(),
    () => {}, // hangs
  ];
  const { url, server } = await inFrontOf(
    (request, response) => {
      const answer = request.method === "POST" ? send : oneOf(answers);
      setTimeout(() => response.destroyed || answer(response), 10 * random());
    },
    { REQUEST_TIMEOUT_MS: "3000", CALL_TIMEOUT_MS: "2000", MAX_CONCURRENT_REQUESTS: "100" },
  );
  const send = (response: ServerResponse): void =>
    void response.writeHead(201, json).end(JSON.stringify(message));
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  let began = 0;
  const underWay = new Set<RequestRecord>();
  onTestFinished(
    subscribe({
      requestBegan: (record) => {
        began++;
        underWay.add(record);
      },
      requestEnded: (record) => void underWay.delete(record),
    }),
  );
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const headers = {
        ...json,
        "x-api-key": oneOf(["a", "b", "c"]),
        "x-explain-calls": oneOf(["0", "0", "0", "1"]),
      };
      const body = oneOf(bodies);
      const sent = call(url, { method: "POST", headers, agent: false });
      sent.on("error", () => {}).once("close", resolve);
      sent.on("response", (response) => oneOf([() => response.resume(), () => {}, () => sent.destroy()])());
      if (random() < 0.1) sent.write(body.slice(0, -1));
      else sent.end(body);
      setTimeout(() => sent.destroy(), oneOf([1, 5, 20, 100, 200]) * random() + 1);
    });
  const client = async (): Promise<void> => {
    for (let asked = 0; asked < 10; asked++) await ask();
  };
  while (began <= 200) await Promise.all(Array.from({ length: 40 }, client)); // some leave before their request begins
  await fetch(new URL("/healthz", url)); // connections are accepted in their order
  await expect.poll(() => underWay.size).toBe(0);
  await expect.poll(left).toBe(0);
  const { decompression, processor } = server.upstreams.shares;
  const caller = processor.enter("a");
  let started = 0;
  const open = Promise.withResolvers<void>();
  const begin = (): Promise<void> => {
    if (++started === decompressedAtOnce - 1) open.resolve();
    return open.promise;
  };
  // one caller has three of four
  await Promise.all(Array.from({ length: decompressedAtOnce - 1 }, () => decompression.run(caller, begin)));
  await expect.poll(timers).toBeLessThanOrEqual(before);
});
