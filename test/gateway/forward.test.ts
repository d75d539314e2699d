import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { rawServer } from "../rest/raw-server.ts";
import { goodKey, listen, otherKey } from "./fakes.ts";
import { refusingUrl, startGateway } from "./start.ts";

const headers = { "x-api-key": goodKey };
const me = "/v1/identity/me";

async function upstream(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<URL> {
  const running = await listen(listener);
  onTestFinished(running.close);
  return running.url;
}

/** An upstream that answers with these bytes. */
const answering = async (text: string): Promise<URL> => (await rawServer((socket) => socket.write(text))).url;

const problem = async (response: Response): Promise<{ code: string; status: number }> => {
  expect(response.headers.get("content-type")).toMatch("application/problem+json");
  return (await response.json()) as { code: string; status: number };
};

describe("routing", () => {
  test("/v1/graphql goes to GraphQL, all else under /v1/ to REST with its path prefix", async () => {
    const rest = await upstream((request, response) => response.end(request.url));
    const { url, graphql } = await startGateway({ rest: new URL("/platform/api/", rest) });
    await fetch(new URL("/v1/graphql?a=1", url), { method: "POST", headers, body: "{}" });
    expect(graphql.seen.map(({ url: path, body }) => [path, body])).toEqual([["/v1/graphql?a=1", "{}"]]);
    const answer = await fetch(new URL("/v1/things/a%20b?q=x%2Fy&ids=1,2", url), { headers });
    expect(await answer.text()).toBe("/platform/api/v1/things/a%20b?q=x%2Fy&ids=1,2");
  });

  test("/v1/graphql is 404 where there is no GraphQL", async () => {
    const { url, rest } = await startGateway({ graphql: null });
    const answer = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body: "{}" });
    expect(await problem(answer)).toMatchObject({ code: "NOT_FOUND", status: 404 });
    expect(rest.seen).toEqual([]);
  });

  test("health needs no key, and nothing outside /v1/ is forwarded", async () => {
    const { url, rest } = await startGateway();
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    expect((await fetch(new URL("/readyz", url))).status).toBe(200);
    for (const path of ["/", "/internal/keys/introspect", "/metrics", "/v2/x", "/healthz/x"]) {
      expect(await problem(await fetch(new URL(path, url), { headers }))).toMatchObject({
        code: "NOT_FOUND",
      });
    }
    expect(rest.seen).toEqual([]);
  });
});

describe("the explorer", () => {
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  test("opens in a browser without a key, context, proof or query", async () => {
    const { url, graphql, keys } = await startGateway();
    const answer = await fetch(new URL("/v1/graphql?query={me{id}}", url), { headers: browser });
    expect(answer.status).toBe(200);
    expect(graphql.seen[0]?.url).toBe("/v1/graphql");
    const names = Object.keys(graphql.seen[0]?.headers ?? {});
    expect(names.filter((name) => /^x-service-|proof|api-key|authorization/.test(name))).toEqual([]);
    expect(keys.asked).toEqual([]);
  });

  test.each([
    ["in production", { NODE_ENV: "production" }, "GET", browser],
    ["for a client that wants JSON", {}, "GET", { accept: "application/json" }],
    ["for a POST", {}, "POST", browser],
    ["with a wrong key", {}, "GET", { ...browser, "x-api-key": "nonsense" }],
  ])("is 401 %s", async (_name, env, method, given) => {
    const { url, graphql } = await startGateway({ env });
    const answer = await fetch(new URL("/v1/graphql", url), { method, headers: given });
    expect(await problem(answer)).toMatchObject({ code: "UNAUTHENTICATED" });
    expect(graphql.seen).toEqual([]);
  });
});

describe("forwarding", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s arrives as it is", async (method) => {
    const { url, rest } = await startGateway();
    const body = method === "GET" ? undefined : "a body";
    const answer = await fetch(new URL(me, url), { method, headers, ...(body ? { body } : {}) });
    expect(answer.status).toBe(200);
    expect(rest.seen[0]).toMatchObject({ method, body: body ?? "" });
  });

  test("HEAD answers with headers alone", async () => {
    const rest = await upstream((_request, response) =>
      response.writeHead(200, { "content-length": "12" }).end(),
    );
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { method: "HEAD", headers });
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, "12"]);
  });

  test("hop-by-hop fields end at the gateway, both ways", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const rest = await upstream((request, response) => {
      seen.push(request.headers);
      response.writeHead(200, {
        ...{ connection: "x-hop", "x-hop": "1", "proxy-authenticate": "Basic", upgrade: "h2c", "x-end": "1" },
        ...{ "x-service-tenant-id": "t", "x-gateway-proof": "p", "x-powered-by": "x" },
      });
      response.end("ok");
    });
    const { url } = await startGateway({ rest });
    const outgoing = httpRequest(new URL(me, url), {
      headers: {
        ...headers,
        ...{
          connection: "x-hop, close",
          "x-hop": "1",
          te: "trailers",
          "proxy-authorization": "Basic a",
        },
        ...{ "keep-alive": "1", "x-end": "1", cookie: "a=b", x_api_key: "1" },
      },
    }).end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.resume();
    const names = Object.keys(seen[0] ?? {});
    expect(names).toEqual(expect.arrayContaining(["x-end", "cookie", "x-api-key", "host", "connection"]));
    for (const name of ["x-hop", "x_api_key", "te", "proxy-authorization", "keep-alive"])
      expect(names).not.toContain(name);
    expect(seen[0]?.connection).toBe("keep-alive");
    expect(answer.headers["x-end"]).toBe("1");
    for (const name of [
      "x-hop",
      "proxy-authenticate",
      "upgrade",
      "x-service-tenant-id",
      "x-gateway-proof",
      "x-powered-by",
    ]) {
      expect(answer.headers[name], name).toBeUndefined();
    }
  });

  test("a valid trace context and request id travel unchanged, others are made new", async () => {
    const { url, rest } = await startGateway();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const given = { ...headers, traceparent, tracestate: "a=b", "x-request-id": "request-1234" };
    const answer = await fetch(new URL(me, url), { headers: given });
    expect(answer.headers.get("x-request-id")).toBe("request-1234");
    expect(rest.seen[0]?.headers).toMatchObject({
      traceparent,
      tracestate: "a=b",
      "x-request-id": "request-1234",
    });
    const bad = { ...headers, traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01`, tracestate: "a=b" };
    const again = await fetch(new URL(me, url), { headers: { ...bad, "x-request-id": goodKey } });
    const second = rest.seen[1]?.headers;
    expect(second?.traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(second?.tracestate).toBeUndefined();
    expect(second?.["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(again.headers.get("x-request-id")).toBe(second?.["x-request-id"]);
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

  test("answers are private unless the upstream says otherwise", async () => {
    const rest = await upstream((request, response) => {
      if (request.url?.includes("public")) response.setHeader("cache-control", "public, max-age=60");
      response.end();
    });
    const { url } = await startGateway({ rest });
    const cacheControl = async (path: string) =>
      (await fetch(new URL(path, url), { headers })).headers.get("cache-control");
    expect(await cacheControl("/v1/a")).toBe("private, no-store");
    expect(await cacheControl("/v1/public")).toBe("public, max-age=60");
  });
});

describe("streaming", () => {
  test("the request reaches the upstream before it is complete, the answer reaches the client before it is", async () => {
    const rest = await upstream((request, response) => {
      request.on("data", (chunk) => response.write(`got ${chunk}`));
      request.on("end", () => response.end("done"));
    });
    const { url } = await startGateway({ rest });
    const outgoing = httpRequest(new URL(me, url), { method: "POST", headers });
    outgoing.write("one");
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.setEncoding("utf8");
    expect((await once(answer, "data"))[0]).toBe("got one");
    outgoing.write("two");
    expect((await once(answer, "data"))[0]).toBe("got two");
    outgoing.end();
    expect((await once(answer, "data"))[0]).toBe("done");
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
    await sleep(500);
    const after = written;
    await sleep(300);
    expect(written).toBe(after);
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

test("a stop asks for the connection of an answer that is begun after it", async () => {
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

test("a hint on the way is not the answer", async () => {
  const rest = await answering(
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}",
  );
  const { url } = await startGateway({ rest });
  const answer = await fetch(new URL(me, url), { headers });
  expect([answer.status, await answer.text(), answer.headers.get("link")]).toEqual([201, "{}", null]);
});

test.each([
  ["304 Not Modified", 304, "17"],
  ["204 No Content", 204, null],
])("an answer without a body may tell a length (%s)", async (line, status, length) => {
  const rest = await answering(`HTTP/1.1 ${line}\r\nContent-Length: 17\r\n\r\n`);
  const { url } = await startGateway({ rest });
  const answer = await fetch(new URL(me, url), { headers });
  expect([answer.status, answer.headers.get("content-length")]).toEqual([status, length]);
});

test("a connection whose request nobody reads to its end takes no other", async () => {
  const rest = await answering("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\n{}");
  const { url } = await startGateway({ rest });
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST ${me} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: ${goodKey}\r\nContent-Length: 9000\r\n\r\n{`,
  );
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  await once(socket, "end");
  expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nConnection: close\r\n/i);
});

test("one tenant has at most half of the connections, and gets them back", async () => {
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
  for (let count = 0; count < 128; count++) void fetch(new URL("/v1/slow", url), slow).catch(() => {});
  await expect.poll(() => waiting, { timeout: 5_000 }).toBe(128);
  const refused = await fetch(new URL(me, url), { headers });
  expect(await problem(refused)).toMatchObject({ code: "RATE_LIMITED", retryAfter: 1 });
  expect(await status(otherKey)).toBe(200);
  leaving.abort();
  await expect.poll(() => status(goodKey), { timeout: 5_000 }).toBe(200);
});

test("a client that leaves while its key is looked up takes no share along", async () => {
  const { url, keys, rest } = await startGateway();
  keys.behaviour.delay = 400;
  const leaving = new AbortController();
  const left = Array.from({ length: 128 }, () =>
    fetch(new URL(me, url), { headers, signal: leaving.signal }).catch(() => {}),
  );
  await expect.poll(() => keys.asked.length).toBe(1);
  await sleep(150);
  leaving.abort();
  await Promise.all(left);
  await sleep(500);
  expect((await fetch(new URL(me, url), { headers })).status).toBe(200);
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
  await expect.poll(() => waiting, { timeout: 5_000 }).toBe(32);
  expect(await problem(await open("text/html"))).toMatchObject({ code: "RATE_LIMITED", retryAfter: 1 });
  const post = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body: "{}" });
  expect(post.status).toBe(200);
  leaving.abort();
  await expect.poll(async () => (await open("text/html")).status, { timeout: 5_000 }).toBe(200);
});

test("a client that does not read its answer is left", async () => {
  let closed = false;
  const rest = await upstream((_request, response) => {
    response.once("close", () => (closed = true)).end(Buffer.alloc(32 * 1_048_576));
  });
  const { url } = await startGateway({ rest, env: { REQUEST_TIMEOUT_MS: "500" } });
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.pause().write(`GET ${me} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: ${goodKey}\r\n\r\n`);
  await expect.poll(() => closed, { timeout: 5_000 }).toBe(true);
});

test("a body that says it is too large reaches nobody, however fast it comes", async () => {
  const rest = await upstream((_request, response) => response.writeHead(413).end());
  const { url } = await startGateway({ rest });
  for (let turn = 0; turn < 20; turn++) {
    const answer = await fetch(new URL(me, url), { method: "POST", headers, body: "a".repeat(1_100_000) });
    expect(await problem(answer)).toMatchObject({ code: "LIMIT_EXCEEDED", limit: "MAX_BODY_BYTES" });
  }
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
    const left = performance.now();
    leave.abort();
    await expect(call).rejects.toThrow();
    await closed;
    expect(performance.now() - left).toBeLessThan(500);
  });

  test("so does one that leaves in the middle of the answer", async () => {
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

describe("a broken upstream", () => {
  test("down: 503, also for a request with a body", async () => {
    const { url } = await startGateway({ rest: await refusingUrl() });
    expect(await problem(await fetch(new URL(me, url), { headers }))).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
    });
    const post = await fetch(new URL(me, url), { method: "POST", headers, body: "a".repeat(500_000) });
    expect(await problem(post)).toMatchObject({ code: "UPSTREAM_UNAVAILABLE", status: 503 });
  });

  test("silent: 504 at the deadline, and its socket is closed", async () => {
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

  test("breaking off before its answer: 502, and it was asked once", async () => {
    let calls = 0;
    const rest = await upstream((request) => {
      calls++;
      request.socket.destroy();
    });
    const { url } = await startGateway({ rest });
    for (const method of ["GET", "POST"]) {
      expect(await problem(await fetch(new URL(me, url), { method, headers }))).toMatchObject({
        code: "UPSTREAM_ERROR",
      });
    }
    expect(calls).toBe(2);
  });

  test.each([
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nX-Name: a\x7fb\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}",
  ])("breaking off or off the rails before its body: 502 (%j)", async (text) => {
    const { url: rest } = await rawServer((socket) => socket.end(text));
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { headers });
    expect(await problem(answer)).toMatchObject({ code: "UPSTREAM_ERROR", status: 502 });
  });

  test("breaking off in its answer: the client's connection breaks too", async () => {
    const rest = await upstream((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => request.socket.destroy());
    });
    const { url } = await startGateway({ rest });
    await expect(fetch(new URL(me, url), { headers }).then((answer) => answer.text())).rejects.toThrow();
  });

  test("redirecting: 502, nothing is followed and nothing named", async () => {
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
