/** Requests and responses in flight: buffered bodies, backpressure, clients that leave or do not read. */
import { EventEmitter, once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ResponseForwarding } from "../../../src/engine/gateway/response-forwarding.ts";
import { subscribe } from "../../../src/engine/runtime/observe/observer.ts";
import { goodKey } from "./fakes.ts";
import { problem } from "./read-error.ts";
import { startGateway, upstream } from "./start.ts";

const headers = { "x-api-key": goodKey };
const me = "/v1/identity/me";

describe("streaming", () => {
  test("a request is forwarded when it is complete, a response while it arrives", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
    let body = "";
    const rest = await upstream((request, response) => {
      request.on("data", (chunk) => (body += chunk)).on("end", () => resolve(response));
    });
    const { url } = await startGateway({ rest });
    const outgoing = httpRequest(new URL(me, url), { method: "POST", headers });
    outgoing.write("one");
    await sleep(200);
    expect(body).toBe("");
    outgoing.end("two");
    const answering = await asked;
    expect(body).toBe("onetwo");
    answering.write("first");
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.setEncoding("utf8");
    expect((await once(answer, "data"))[0]).toBe("first");
    answering.end("last");
    expect((await once(answer, "data"))[0]).toBe("last");
  });

  test("a slow reader holds the upstream back", async () => {
    let written = 0;
    const rest = await upstream((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on("drain", write);
      write();
    });
    const { url } = await startGateway({ rest });
    const socket = net.connect(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${me} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: ${goodKey}\r\n\r\n`);
    await once(socket, "readable");
    for (let before = -1; before !== written && written < 32 * 1024 * 1024; ) {
      before = written;
      await sleep(300);
    }
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  test.each([true, false])("a body over the limit is refused (chunked: %s)", async (chunked) => {
    const { url, rest } = await startGateway({ env: { MAX_BODY_BYTES: "1000" } });
    const post = (bytes: number): Promise<Response> => {
      const body = chunked ? new Blob(["a".repeat(bytes)]).stream() : "a".repeat(bytes);
      return fetch(new URL(me, url), { method: "POST", headers, body, duplex: "half" } as RequestInit);
    };
    expect((await post(1_000)).status).toBe(200);
    expect(await problem(await post(1_001))).toMatchObject({
      code: "LIMIT_EXCEEDED",
      limit: "MAX_BODY_BYTES",
    });
    expect(rest.seen.length).toBe(1);
  });
});

test("the connection of a client that does not read its response is closed", async () => {
  let closed = false;
  const rest = await upstream((_request, response) => {
    response.once("close", () => (closed = true)).end(Buffer.alloc(32 * 1_048_576));
  });
  const { url } = await startGateway({ rest, env: { REQUEST_TIMEOUT_MS: "500" } });
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.pause().write(`GET ${me} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: ${goodKey}\r\n\r\n`);
  await expect.poll(() => closed).toBe(true);
});

describe("the body of an upstream's response", () => {
  /** The gateway's record of the next request that ends. */
  const nextRecord = () => {
    const ended = vi.fn();
    onTestFinished(
      subscribe({ requestEnded: (record) => record.serverInfo.role === "gateway" && ended(record) }),
    );
    return () => expect.poll(() => ended.mock.calls[0]?.[0]);
  };

  test.each([
    ["that drips", 50],
    ["that stops", 1e6],
  ])("%s ends with the connection, and the log blames the upstream", async (_how, everyMs) => {
    let closed = false;
    const rest = await upstream((_request, response) => {
      response.write("begun");
      const timer = setInterval(() => response.write("x"), everyMs);
      response.once("close", () => {
        clearInterval(timer);
        closed = true;
      });
    });
    const { url } = await startGateway({ rest, env: { REQUEST_TIMEOUT_MS: "500" } });
    const record = nextRecord();
    const answer = await fetch(new URL(me, url), { headers });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    await expect.poll(() => closed).toBe(true);
    await record().toMatchObject({ status: 504, code: "UPSTREAM_TIMEOUT", reason: "slow_response" });
  });

  test("may take much longer than a request has, at an honest rate", async () => {
    const chunk = Buffer.alloc(16_384);
    const rest = await upstream(async (_request, response) => {
      for (let at = 0; at < 40; at++) {
        response.write(chunk);
        await sleep(50);
      }
      response.end();
    });
    const { url } = await startGateway({ rest, env: { REQUEST_TIMEOUT_MS: "100" } });
    const answer = await fetch(new URL(me, url), { headers });
    expect((await answer.arrayBuffer()).byteLength).toBe(40 * chunk.length);
  });

  test("that its client holds back is not slow", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const client = Object.assign(new EventEmitter(), { write: () => false, destroy: vi.fn(), end: vi.fn() });
    const controller = { pause: vi.fn(), resume: vi.fn(), abort: vi.fn() } as never;
    const breakOff = vi.fn();
    const forwarding = new ResponseForwarding(
      client as never,
      { begin: vi.fn(), breakOff, ended: vi.fn() },
      1_000,
    );
    forwarding.onRequestStart(controller);
    forwarding.onResponseStart(controller, 200, {});
    forwarding.onResponseData(controller, Buffer.alloc(1));
    vi.advanceTimersByTime(10_500);
    expect(client.destroy).not.toHaveBeenCalled();
    client.emit("drain");
    vi.advanceTimersByTime(1_100);
    expect(breakOff.mock.calls).toMatchObject([[{ reason: "slow_response" }]]);
    expect(client.destroy).toHaveBeenCalled();
  });

  test("that breaks off is the upstream's failure, and not its client's", async () => {
    const rest = await upstream((_request, response) => {
      response.write("half");
      setTimeout(() => response.destroy(), 100);
    });
    const { url } = await startGateway({ rest });
    const record = nextRecord();
    const answer = await fetch(new URL(me, url), { headers });
    await expect(answer.text()).rejects.toThrow();
    await record().toMatchObject({ status: 503, code: "UPSTREAM_UNAVAILABLE" });
  });
});

describe("aborts", () => {
  test("a client that leaves ends the call to the upstream", async () => {
    let closed: Promise<unknown> | undefined;
    const arrived = Promise.withResolvers<void>();
    const rest = await upstream((request) => {
      closed = once(request.socket, "close");
      arrived.resolve();
    });
    const { url } = await startGateway({ rest });
    const leave = new AbortController();
    const call = fetch(new URL(me, url), { headers, signal: leave.signal });
    await arrived.promise;
    leave.abort();
    await expect(call).rejects.toThrow();
    await closed;
  });

  test("a client that leaves frees its place and the connection when the response has come", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const sockets = new Set<net.Socket>();
    const rest = await upstream((request, response) => {
      sockets.add(request.socket);
      if (request.url?.endsWith("/slow")) asked.resolve(response);
      else response.end();
    });
    const { url, gateway } = await startGateway({ rest });
    const held = () => gateway.quotas.gateway_requests?.used;
    const leave = new AbortController();
    const left = fetch(new URL("/v1/slow", url), { headers, signal: leave.signal }).catch(() => "left");
    const response = await asked.promise;
    leave.abort();
    expect([await left, held()]).toEqual(["left", 1]);
    response.end("x".repeat(500_000));
    await expect.poll(held).toBe(0);
    expect((await fetch(new URL(me, url), { headers })).status).toBe(200);
    expect(sockets.size).toBe(1);
  });

  test("a client that leaves in the middle of the response ends the call, too", async () => {
    let closed: Promise<unknown> | undefined;
    const rest = await upstream((request, response) => {
      closed = once(request.socket, "close");
      response.write("half");
    });
    const { url } = await startGateway({ rest });
    const leave = new AbortController();
    await fetch(new URL(me, url), { headers, signal: leave.signal });
    leave.abort();
    await closed;
  });
});
