/** Requests and responses in flight: buffered bodies, backpressure, clients that leave or do not read. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
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
