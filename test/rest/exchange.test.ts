/** One exchange against an upstream that does everything wrong: bounded in time and size, one coded failure each. */
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Pool } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { CodedError } from "../../src/errors.ts";
import type { Answer as RestAnswer } from "../../src/rest/answer.ts";
import { exchange, type Outgoing } from "../../src/rest/exchange.ts";
import { Turns } from "../../src/rest/turns.ts";
import { type Answer, http, rawServer } from "./raw-server.ts";

const get: Omit<Outgoing, "line"> = {
  method: "GET",
  path: "/x",
  headers: {},
  body: undefined,
  connectTimeoutMs: 1_000,
  timeoutMs: 2_000,
  maxBytes: 1_000,
  over: () => {},
};

async function against(answer: Answer, connections = 4) {
  const server = await rawServer(answer);
  const pool = new Pool(server.url.origin, { connections, pipelining: 1 });
  onTestFinished(() => pool.destroy());
  const line = new Turns(2 * connections, connections).line("caller");
  const call = (change: Partial<Outgoing> = {}) => exchange(pool, { ...get, line, ...change });
  return { server, call };
}

const send =
  (bytes: string | Buffer): Answer =>
  (socket) =>
    void socket.write(bytes);
const failureOf = (answer: Promise<RestAnswer>): Promise<unknown> => answer.catch((error: unknown) => error);

test("an answer in pieces arrives whole", async () => {
  const { call } = await against((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    for (const piece of ['{"a"', ":", '"é"}'])
      socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
    socket.write("0\r\n\r\n");
  });
  const answer = await call().answer;
  expect([answer.status, await answer.text(), answer.headers.get("Content-Type")]).toEqual([
    200,
    '{"a":"é"}',
    "application/json",
  ]);
});

test("an interim answer is not the answer", async () => {
  const { call } = await against(send(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${http(200, "{}")}`));
  const answer = await call().answer;
  expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
});

describe.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)("%s", (encoding, compress) => {
  test("is decompressed, up to the cap", async () => {
    const size = { current: 1_000 };
    const { call } = await against((socket) =>
      socket.write(http(200, compress("x".repeat(size.current)), { "content-encoding": encoding })),
    );
    expect(await (await call().answer).text()).toHaveLength(1_000);
    size.current = 1_001;
    expect(await failureOf(call().answer)).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
      details: { limit: "MAX_RESPONSE_BYTES", value: 1_000 },
    });
  });
});

test("the cap holds for the bytes on the wire, at N and N+1, whether announced or not", async () => {
  const announced = { "content-length": "1001" };
  const chunked = { "content-length": "", "transfer-encoding": "chunked" };
  const { call } = await against((socket, request) => {
    if (request.includes("/fits")) socket.write(http(200, "x".repeat(1_000)));
    else if (request.includes("/announced")) socket.write(http(200, "x", announced));
    else socket.write(http(200, `3e9\r\n${"x".repeat(1_001)}\r\n`, chunked));
  });
  expect(await (await call({ path: "/fits" }).answer).text()).toHaveLength(1_000);
  for (const path of ["/announced", "/chunked"])
    expect(await failureOf(call({ path }).answer)).toMatchObject({ message: "the answer is too large" });
});

test.each<[string, Answer, string]>([
  ["a reset before the answer", (socket) => socket.resetAndDestroy(), "UPSTREAM_UNAVAILABLE"],
  [
    "a reset in the body",
    (socket) => socket.write(http(200, "{", { "content-length": "9" }), () => socket.resetAndDestroy()),
    "UPSTREAM_UNAVAILABLE",
  ],
  [
    "a body that ends early",
    (socket) => socket.end(http(200, "{", { "content-length": "9" })),
    "UPSTREAM_UNAVAILABLE",
  ],
  ["no HTTP", send("CANARY nothing like it\r\n\r\n"), "BAD_UPSTREAM_RESPONSE"],
  [
    "a chunk size that is none",
    send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nCANARY\r\n"),
    "BAD_UPSTREAM_RESPONSE",
  ],
  [
    "headers without end",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"CANARY".repeat(20_000)}\r\n\r\n`),
    "BAD_UPSTREAM_RESPONSE",
  ],
  [
    "an unknown encoding",
    send(http(200, "CANARY", { "content-encoding": "rot13" })),
    "BAD_UPSTREAM_RESPONSE",
  ],
  ["gzip that is none", send(http(200, "CANARY", { "content-encoding": "gzip" })), "BAD_UPSTREAM_RESPONSE"],
  ["bytes that are no UTF-8", send(http(200, Buffer.from([0x22, 0xff, 0x22]))), "BAD_UPSTREAM_RESPONSE"],
])("%s is a coded error without a word of it", async (_name, answer, code) => {
  const { call } = await against(answer);
  const failure = await failureOf(call().answer);
  expect(failure).toBeInstanceOf(CodedError);
  expect(failure).toMatchObject({ code });
  expect((failure as Error).message).not.toMatch(/CANARY|127\.0\.0\.1/);
});

describe("time", () => {
  test("an answer that never comes fails at the deadline, and its socket is closed", async () => {
    const { call, server } = await against(() => {});
    const began = performance.now();
    expect(await failureOf(call({ timeoutMs: 300 }).answer)).toMatchObject({ code: "UPSTREAM_TIMEOUT" });
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(performance.now() - began).toBeLessThan(500);
    await expect.poll(server.open, { timeout: 500 }).toBe(0);
  });

  test("an answer that trickles fails at the same deadline, also after the one for connecting", async () => {
    const { call, server } = await against((socket) => {
      socket.write(http(200, "", { "content-length": "500" }));
      const drip = setInterval(() => socket.write(" "), 20);
      socket.once("close", () => clearInterval(drip));
    });
    const began = performance.now();
    const failure = await failureOf(call({ timeoutMs: 300, connectTimeoutMs: 100 }).answer);
    expect(failure).toMatchObject({ code: "UPSTREAM_TIMEOUT", message: "no answer in time" });
    expect(performance.now() - began).toBeGreaterThan(290);
    await expect.poll(server.open, { timeout: 500 }).toBe(0);
  });

  test("waiting for a free connection counts as connecting, and nothing is sent later", async () => {
    const { call, server } = await against(() => {}, 1);
    const first = failureOf(call({ timeoutMs: 400 }).answer);
    expect(await failureOf(call({ connectTimeoutMs: 150 }).answer)).toMatchObject({
      message: "no connection in time",
    });
    await first;
    await sleep(100);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["of its caller", 2, () => "caller"],
    ["of all callers", 1, (call: number) => `caller ${call}`],
  ])("a queue %s that moves is waited in, up to the deadline", async (_whose, connections, callerOf) => {
    const { call } = await against((socket) => void setTimeout(() => socket.write(http(200, "{}")), 80), 1);
    const turns = new Turns(connections, 1);
    const one = async (_: unknown, index: number) => {
      const line = turns.line(callerOf(index));
      const over: Outgoing["over"] = (begun) => {
        line.answered();
        line.leave(begun);
      };
      await call({ connectTimeoutMs: 120, timeoutMs: 600, line, over }).answer;
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, one));
    expect(outcomes.slice(0, 5).map((outcome) => outcome.status)).not.toContain("rejected");
    expect(outcomes.at(-1)).toMatchObject({ reason: { message: "no connection in time" } });
  });

  test("turns that fail at once are had one after the other, however many wait for one", async () => {
    const server = await rawServer(() => {});
    const pool = new Pool(server.url.origin, { connections: 1 });
    const line = new Turns(2, 1).line("caller");
    const over: Outgoing["over"] = (begun) => line.leave(begun);
    const begun = Array.from({ length: 5_000 }, () => exchange(pool, { ...get, line, over }));
    const failures = Promise.all(begun.map(({ answer }) => failureOf(answer)));
    await pool.destroy();
    expect(new Set((await failures).map((failure) => (failure as CodedError).code))).toEqual(
      new Set(["UPSTREAM_UNAVAILABLE"]),
    );
  });

  test("one that is given up fails at once, and its socket is closed soon", async () => {
    const { call, server } = await against(() => {});
    const sent = call();
    const failure = failureOf(sent.answer);
    await expect.poll(() => server.requests.length).toBe(1);
    const before = performance.now();
    sent.giveUp(new CodedError("CLIENT_CLOSED_REQUEST", "left"));
    expect(await failure).toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
    expect(performance.now() - before).toBeLessThan(20);
    await expect.poll(server.open, { timeout: 500, interval: 5 }).toBe(0);
    expect(performance.now() - before).toBeLessThan(100);
  });

  test("one that is given up and answered soon leaves its connection to the next", async () => {
    const sockets = new Set<Socket>();
    const overs: unknown[] = [];
    const given = Promise.withResolvers<void>();
    const { call, server } = await against((socket) => {
      sockets.add(socket);
      given.promise.then(() => socket.write(http(200, "{}")));
    });
    const sent = call({ over: (_, outcome) => overs.push(outcome) });
    const failure = failureOf(sent.answer);
    await expect.poll(() => server.requests.length).toBe(1);
    sent.giveUp(new CodedError("CLIENT_CLOSED_REQUEST", "left"));
    expect(await failure).toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
    given.resolve();
    await expect.poll(() => overs).toEqual([expect.objectContaining({ status: 200 })]);
    await call().answer;
    expect([sockets.size, server.requests.length]).toEqual([1, 2]);
  });
});
