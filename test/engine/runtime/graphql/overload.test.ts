/** Overload: requests are refused early with 503, health checks are answered, and each request frees its place. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import type { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import { largeBodies } from "../../../../src/engine/runtime/settings/capacity.ts";
import { alone } from "../governor/alone.ts";
import { inFrontOf, me, send } from "./rest-stand-in.ts";

describe("MAX_CONCURRENT_REQUESTS", () => {
  test("requests run, one more gets 503 with Retry-After, and a finished request frees its place", async () => {
    let answer = (): void => {};
    const open = new Promise<void>((resolve) => (answer = resolve));
    let arrived = 0;
    const { post, url } = await inFrontOf(
      (_request, response) => {
        arrived++;
        open.then(() => send(response, me));
      },
      {
        MAX_CONCURRENT_REQUESTS: "4", // three of them for a caller that is alone
      },
    );
    // identical reads of one caller would be one call
    const running = ["a", "b", "c"].map((key) =>
      post("{ me { id } }", { headers: { "content-type": "application/json", "x-api-key": key } }),
    );
    await expect.poll(() => arrived).toBe(3);
    const refused = await post("{ me { id } }");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({
      errors: [{ extensions: { code: "SERVICE_UNAVAILABLE", retryAfter: 1, requestId: expect.any(String) } }],
    });
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(new URL(path, url))).status).toBe(200);
    answer();
    for (const one of running) expect((await one).status).toBe(200);
    expect((await post("{ me { id } }")).status).toBe(200);
  });

  test("a request takes no place until its body has arrived", async () => {
    const { post, url } = await inFrontOf(() => {}, { MAX_CONCURRENT_REQUESTS: "1" });
    const sockets = [1, 2].map(() => net.connect(Number(url.port), url.hostname));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const head = `POST ${url.pathname} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`;
    for (const socket of sockets) socket.write(head);
    await sleep(100);
    expect((await post("{ __typename }")).status).toBe(200);
  });

  test("a client that leaves frees its place", async () => {
    let arrived = 0;
    const { post } = await inFrontOf(() => void arrived++, { MAX_CONCURRENT_REQUESTS: "1" });
    const leaving = new AbortController();
    const left = post("{ me { id } }", { signal: leaving.signal }).catch(() => "left");
    await expect.poll(() => arrived).toBe(1);
    expect((await post("{ __typename }")).status).toBe(503);
    leaving.abort();
    expect(await left).toBe("left");
    await expect.poll(async () => (await post("{ __typename }")).status).toBe(200);
  });
});

test("large bodies of identical queries are under way up to a bound, and a small request passes", async () => {
  const open = Promise.withResolvers<void>();
  const answer = (response: ServerResponse): void => void open.promise.then(() => send(response, me));
  const environment = { REQUEST_TIMEOUT_MS: "30000", CALL_TIMEOUT_MS: "30000" };
  const { post, url } = await inFrontOf((_request, response) => answer(response), environment);
  const body = JSON.stringify({ query: "{ me { id } }", variables: { unused: "x".repeat(1_048_450) } });
  const headers = { "content-type": "application/json", "x-api-key": "a" };
  const fitting = alone(largeBodies.total, body.length); // 42: a late event loop allows as many
  const statuses: number[] = [];
  const ask = async () => statuses.push((await fetch(url, { method: "POST", headers, body })).status);
  const asked = Array.from({ length: fitting + 20 }, ask);
  await expect.poll(() => statuses.length, { timeout: 20_000 }).toBe(20);
  expect(new Set(statuses)).toEqual(new Set([503]));
  const small = async () => (await post("{ __typename }", { headers })).status;
  await expect.poll(small, { timeout: 20_000 }).toBe(200); // once the event loop is on time
  open.resolve();
  await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(fitting);
});

test.each([
  ["large responses", 3_000_000, 9, 1], // 9 MB as sent
  ["many responses of 900 kB", 300_000, 2, 60],
])(
  "unread: %s are held up to a bound, and small responses pass",
  async (_, length, connections, requests) => {
    const large = { ...me, email: "€".repeat(length) };
    const { post, url } = await inFrontOf((_request, response) => send(response, large), {
      MAX_ANSWER_BYTES: "10000000",
    });
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note); // of too many listeners, for an answer that waits
    onTestFinished(() => void process.off("warning", note));
    const body = '{"query":"{ me { email } }"}';
    const head = `POST ${url.pathname} HTTP/1.1\r\nHost: a\r\nX-Api-Key: key\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const records: RequestRecord[] = [];
    onTestFinished(subscribe({ requestBegan: (request) => void records.push(request) }));
    const sockets: net.Socket[] = [];
    const leave = (): void => sockets.forEach((socket) => void socket.destroy());
    onTestFinished(leave);
    for (let asked = 0; asked < connections; asked++) {
      const socket = net.connect(Number(url.port), url.hostname);
      sockets.push(socket);
      socket.write(`${head}\r\n\r\n${body}`.repeat(requests));
      await once(socket, "readable"); // the response has started, and the test reads no more of it
      expect(String(socket.read(12))).toMatch(/^HTTP\/1.1 (?:200|503)$/);
    }
    const ask = async () => (await post("{ me { email } }")).status;
    await expect.poll(() => records.some(({ reason }) => reason === "unread_responses")).toBe(true);
    await expect.poll(async () => (await post("{ me { id } }")).status).toBe(200); // once the event loop is on time
    leave();
    await expect.poll(ask).toBe(200);
    expect(warnings).toEqual([]);
  },
);

test("MAX_ANSWER_BYTES counts the bytes of a response as sent", async () => {
  const bytes = (email: string): number => Buffer.byteLength(JSON.stringify({ data: { me: { email } } }));
  for (const character of ["x", "€", "\u0001", '"', "\ud800"]) {
    const email = character.repeat(1_000);
    const limit = bytes(email);
    for (const [value, status] of [
      [limit, 200],
      [limit - 1, 400],
    ] as const) {
      const { post } = await inFrontOf((_request, response) => send(response, { ...me, email }), {
        MAX_ANSWER_BYTES: `${value}`,
      });
      const response = await post("{ me { email } }");
      expect([character, response.status]).toEqual([character, status]);
      if (status === 200) expect(await response.json()).toEqual({ data: { me: { email } } });
      else
        expect(await response.json()).toMatchObject({
          errors: [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_ANSWER_BYTES", value } }],
        });
    }
  }
});

test("an event loop that stays late refuses requests, and accepts them again once it is on time", async () => {
  const { server } = await inFrontOf(() => {});
  const ask = (query: string, remoteAddress = "192.0.2.200") =>
    server.inject({
      method: "POST",
      url: "/v1/graphql",
      remoteAddress,
      payload: { query },
    });
  const status = async (): Promise<number> => (await ask("{ __typename }")).statusCode;
  const stayLate = async (): Promise<number[]> => {
    const turns: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const until = performance.now() + 300;
      while (performance.now() < until);
      await sleep(0);
      turns.push(await status());
    }
    return turns;
  };
  expect(new Set(await stayLate())).toEqual(new Set([200])); // one slow request is not an overload
  await sleep(200);
  for (let waiting = 0; waiting < 120; waiting++)
    void ask("{ me { id } }", `192.0.2.${waiting}`).catch(() => {});
  await sleep(50);
  const turns = await stayLate();
  expect(turns[0]).toBe(200); // one pause is not an overload either
  expect(turns.at(-1)).toBe(503);
  expect((await server.inject("/healthz")).statusCode).toBe(200);
  await expect.poll(status).toBe(200);
});

test("a product that hangs does not delay the others", async () => {
  const { ask } = await inFrontOf(
    (request, response) => {
      if (!request.url?.includes("agents")) send(response, me);
    },
    { CONNECT_TIMEOUT_MS: "5000", CALL_TIMEOUT_MS: "5000" },
  );
  // too few requests for an overload, but more calls than the product has connections
  const document = (index: number): string =>
    `{ me { id } agents { id } ${["a", "b"].map((id) => `${id}: agent(id: "${id}${index}") { id }`).join(" ")} }`;
  const both = Array.from({ length: 60 }, (_, index) => ask(document(index)));
  let ended = 0;
  for (const one of both) one.then(() => ended++);
  await sleep(300);
  expect(await ask("{ me { id } }")).toEqual({ data: { me: { id: "1" } } });
  expect(ended).toBe(0);
  const codes = new Set<unknown>();
  for (const { data, errors } of await Promise.all(both)) {
    expect(data).toEqual({ me: { id: "1" }, agents: null, a: null, b: null });
    for (const error of errors ?? []) codes.add(error.extensions.code);
  }
  // a call that hangs, and one that waited for its connection
  expect(codes).toContain("UPSTREAM_TIMEOUT");
  expect(["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE", "SERVICE_TIMEOUT"]).toEqual(
    expect.arrayContaining([...codes]),
  );
});
