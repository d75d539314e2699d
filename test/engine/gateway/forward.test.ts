/** One request to one upstream, and its response back: methods, interim responses, broken upstreams. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { rawServer } from "../runtime/rest/raw-server.ts";
import { goodKey } from "./fakes.ts";
import { problem } from "./read-error.ts";
import { refusingUrl, startGateway, upstream } from "./start.ts";

const headers = { "x-api-key": goodKey };
const me = "/v1/identity/me";

/** An upstream that answers with these bytes. */
const answering = async (text: string): Promise<URL> => (await rawServer((socket) => socket.write(text))).url;

describe("forwarding", () => {
  test.each(["GET", "QUERY", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s arrives as it is",
    async (method) => {
      const { url, rest } = await startGateway();
      const body = method === "GET" ? undefined : "a body";
      const answer = await fetch(new URL(me, url), { method, headers, ...(body ? { body } : {}) });
      expect(answer.status).toBe(200);
      expect(rest.seen[0]).toMatchObject({ method, body: body ?? "" });
    },
  );

  test("HEAD answers with headers alone", async () => {
    const rest = await upstream((_request, response) =>
      response.writeHead(200, { "content-length": "12" }).end(),
    );
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { method: "HEAD", headers });
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, "12"]);
  });

  test.each(["GET", "HEAD"])("a %s request with a body is refused", async (method) => {
    const { url, rest } = await startGateway();
    const outgoing = httpRequest(new URL(me, url), {
      method,
      headers: { ...headers, "content-length": "4" },
    });
    outgoing.end("body");
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(400);
    expect(rest.seen).toEqual([]);
  });

  test("responses are private unless the upstream names shared caches", async () => {
    const rest = await upstream((request, response) => {
      const control = new URL(request.url ?? "/", "http://rest").searchParams.getAll("control");
      if (control.length > 0) response.setHeader("cache-control", control);
      response.end();
    });
    const { url } = await startGateway({ rest });
    const forwarded = async (...control: readonly string[]) => {
      const query = new URLSearchParams(control.map((each): [string, string] => ["control", each]));
      return (await fetch(new URL(`/v1/a?${query}`, url), { headers })).headers.get("cache-control");
    };
    expect(await forwarded()).toBe("private, no-store");
    for (const named of ["public, max-age=60", "S-MaxAge=5", "private, max-age=60"])
      expect(await forwarded(named)).toBe(named);
    expect(await forwarded("max-age=60")).toBe("private, max-age=60");
    expect(await forwarded("must-revalidate", "max-age=60")).toBe("private, must-revalidate, max-age=60");
    expect(await forwarded("no-store")).toBe("private, no-store");
  });

  test.each([
    ["max-age=60", undefined, "x-api-key, authorization"],
    ["public, max-age=60", "Accept, X-API-Key", "accept, x-api-key, authorization"],
    ["no-cache", "X-Service-Tenant-Id", "x-service-tenant-id, x-api-key, authorization"],
    ["no-store", "Accept", "accept"],
    [undefined, undefined, null],
  ])("a response of %s that varies by %s is kept for its key alone", async (control, vary, expected) => {
    const rest = await upstream((_request, response) => {
      if (control) response.setHeader("cache-control", control);
      if (vary) response.setHeader("vary", vary);
      response.end();
    });
    const { url } = await startGateway({ rest });
    expect((await fetch(new URL(me, url), { headers })).headers.get("vary")).toBe(expected);
  });
});

test("a response that begins after a stop asks its client to close the connection", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  const rest = await upstream((_request, response) => resolve(response));
  const { url, gateway } = await startGateway({ rest });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const outgoing = httpRequest(new URL(me, url), { headers, agent }).end();
  const waiting = await asked;
  const stopped = gateway.close();
  waiting.end("{}");
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(answer.headers.connection).toBe("close");
  answer.resume();
  await stopped;
});

test("an early hint (103) is not taken for the response", async () => {
  const rest = await answering(
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}",
  );
  const { url } = await startGateway({ rest });
  const answer = await fetch(new URL(me, url), { headers });
  expect([answer.status, await answer.text(), answer.headers.get("link")]).toEqual([201, "{}", null]);
});

test.each([100, 102, 103, 199])("an unsolicited interim response (%i) is skipped", async (code) => {
  const rest = await answering(`HTTP/1.1 ${code} X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`);
  const { url } = await startGateway({ rest });
  for (const method of ["GET", "POST"]) {
    const answer = await fetch(new URL(me, url), { method, headers });
    expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
  }
});

test.each([
  ["GET", "the connection broke before the response was complete"],
  [
    "POST",
    "the connection broke before the response was complete; its outcome is unknown: it may have been executed",
  ],
])("a %s that a reset breaks says so, and that its outcome is unknown", async (method, detail) => {
  const reset = await rawServer((socket) => void socket.resetAndDestroy());
  const { url } = await startGateway({ rest: reset.url });
  const answer = await fetch(new URL(me, url), { method, headers });
  expect(await answer.json()).toMatchObject({ status: 503, code: "UPSTREAM_UNAVAILABLE", detail });
});

test("a POST to an upstream that refuses connections was not sent", async () => {
  const { url } = await startGateway({ rest: await refusingUrl() });
  const answer = await fetch(new URL(me, url), { method: "POST", headers });
  expect(await answer.json()).toMatchObject({ detail: "the service cannot be reached; it was not sent" });
});

test.each([
  ["a flood of early hints", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
  ["a flood of 100s", "HTTP/1.1 100 Continue\r\n\r\n"],
])("%s is a 502, and ends with its connection", async (_flood, interim) => {
  const hints = interim.repeat(1_000);
  const rest = await rawServer((socket) => {
    const flood = (): void => void (socket.writable && socket.write(hints, () => setImmediate(flood)));
    flood();
  });
  const { url } = await startGateway({ rest: rest.url });
  const answer = await fetch(new URL(me, url), { headers });
  expect([answer.status, (await problem(answer)).code]).toEqual([502, "BAD_UPSTREAM_RESPONSE"]);
  await expect.poll(() => rest.open()).toBe(0);
});

test.each([
  ["304 Not Modified", 304, "17"],
  ["204 No Content", 204, null],
])("a response without a body may have a content length (%s)", async (line, status, length) => {
  const rest = await answering(`HTTP/1.1 ${line}\r\nContent-Length: 17\r\n\r\n`);
  const { url } = await startGateway({ rest });
  const answer = await fetch(new URL(me, url), { headers });
  expect([answer.status, answer.headers.get("content-length")]).toEqual([status, length]);
});

describe("a broken upstream", () => {
  test("that refuses connections: 503, also for a request with a body", async () => {
    const { url } = await startGateway({ rest: await refusingUrl() });
    expect(await problem(await fetch(new URL(me, url), { headers }))).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
    });
    const post = await fetch(new URL(me, url), { method: "POST", headers, body: "a".repeat(500_000) });
    expect(await problem(post)).toMatchObject({ code: "UPSTREAM_UNAVAILABLE", status: 503 });
  });

  test("that never responds: 504 at the deadline, and its socket is closed", async () => {
    let closed: Promise<unknown> | undefined;
    const rest = await upstream((request) => {
      closed = once(request.socket, "close");
    });
    const { url } = await startGateway({ rest, env: { REQUEST_TIMEOUT_MS: "200" } });
    expect(await problem(await fetch(new URL(me, url), { headers }))).toMatchObject({
      code: "UPSTREAM_TIMEOUT",
      status: 504,
    });
    await closed;
  });

  test("that breaks off before its response: 503, after one call", async () => {
    let calls = 0;
    const rest = await upstream((request) => {
      calls++;
      request.socket.destroy();
    });
    const { url } = await startGateway({ rest });
    for (const method of ["GET", "POST"]) {
      expect(await problem(await fetch(new URL(me, url), { method, headers }))).toMatchObject({
        code: "UPSTREAM_UNAVAILABLE",
      });
    }
    expect(calls).toBe(2);
  });

  test.each([
    ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", 503, "UPSTREAM_UNAVAILABLE"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 502, "BAD_UPSTREAM_RESPONSE"],
    ["HTTP/1.1 200 OK\r\nX-Name: a\x7fb\r\nContent-Length: 2\r\n\r\n{}", 502, "BAD_UPSTREAM_RESPONSE"],
    ["HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}", 502, "UPSTREAM_ERROR"],
  ])("that breaks off or breaks HTTP before its body: %j is %i", async (text, status, code) => {
    const { url: rest } = await rawServer((socket) => socket.end(text));
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { headers });
    expect(await problem(answer)).toMatchObject({ code, status });
  });

  test("that breaks off in its response: the client's connection breaks too", async () => {
    const rest = await upstream((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => request.socket.destroy());
    });
    const { url } = await startGateway({ rest });
    await expect(fetch(new URL(me, url), { headers }).then((answer) => answer.text())).rejects.toThrow();
  });

  test("that redirects: 502, the redirect is not followed and not named", async () => {
    let elsewhere = 0;
    const other = await upstream((_request, response) => {
      elsewhere++;
      response.end();
    });
    const rest = await upstream((_request, response) =>
      response.writeHead(307, { location: other.href }).end("moved"),
    );
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { headers, redirect: "manual" });
    expect(answer.headers.get("location")).toBeNull();
    expect(await problem(answer)).toMatchObject({ code: "UPSTREAM_ERROR", status: 502 });
    expect(elsewhere).toBe(0);
  });
});
