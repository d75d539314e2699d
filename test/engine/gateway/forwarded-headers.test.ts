/** The headers of one request to one upstream, and of its response back. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { rawServer } from "../runtime/rest/raw-server.ts";
import { goodKey } from "./fakes.ts";
import { startGateway, upstream } from "./start.ts";

const headers = { "x-api-key": goodKey };
const me = "/v1/identity/me";

describe("forwarded headers", () => {
  test("of a request's headers those arrive that HTTP defines from end to end, or that the document declares", async () => {
    const { url, rest } = await startGateway({
      requestHeaders: ["x-region", "x-forwarded-user", "x-service-tenant-id"],
    });
    const known = {
      ...{
        accept: "application/json",
        "accept-language": "de",
        "content-type": "text/csv",
        range: "bytes=0-1",
      },
      ...{ "if-match": '"a"', "if-none-match": '"b"', "if-modified-since": "Thu, 01 Oct 2026 10:00:00 GMT" },
      ...{ "idempotency-key": "i", prefer: "return=minimal", "cache-control": "no-cache", "x-region": "eu" },
      ...{ "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s", "last-event-id": "1" },
      ...{ "mcp-method": "tools/call", "mcp-name": "Me" },
      ...{ "content-digest": "sha-256=:YQ==:", "user-agent": "a/1", "x-apollo-operation-name": "Q" },
    };
    const unknown = {
      ...{
        "x-forwarded-user": "root",
        "x-service-tenant-id": "t",
        "x-admin": "1",
        "x-user-id": "1",
        cookie: "a=b",
      },
      ...{
        "remote-user": "root",
        "x-internal": "1",
        "x-tenant": "t",
        "x-debug": "1",
        "x-other-region": "eu",
      },
    };
    await fetch(new URL(me, url), {
      method: "PUT",
      body: "a",
      headers: { ...headers, ...known, ...unknown },
    });
    expect(rest.seen[0]?.headers).toMatchObject(known);
    expect(Object.values(rest.seen[0]?.headers ?? {})).not.toContain("root");
    const names = Object.keys(rest.seen[0]?.headers ?? {});
    expect(names.filter((name) => name in unknown && name !== "x-service-tenant-id")).toEqual([]);
    expect(rest.seen[0]?.headers["x-service-tenant-id"]).not.toBe("t");
  });

  test("cookies arrive only where the document declares one", async () => {
    const { url, rest } = await startGateway({ requestHeaders: ["cookie"] });
    await fetch(new URL(me, url), { headers: { ...headers, cookie: "a=b" } });
    expect(rest.seen[0]?.headers.cookie).toBe("a=b");
  });

  test("an upstream sets no cookie, and a 401 has the gateway's challenge alone", async () => {
    const rest = await upstream(({ url = "" }, response) => {
      const challenges = { "www-authenticate": 'Basic realm="internal"', "authentication-info": "a" };
      response.writeHead(url.includes("refused") ? 401 : 200, {
        "set-cookie": ["a=b", "c=d"],
        ...challenges,
      });
      response.end("{}");
    });
    const { url } = await startGateway({ rest });
    const answers = [];
    for (const path of [me, "/v1/refused"]) answers.push(await fetch(new URL(path, url), { headers }));
    expect(answers.map((answer) => answer.headers.get("www-authenticate"))).toEqual([
      null,
      'Bearer realm="api", ApiKey realm="api"',
    ]);
    for (const answer of answers)
      for (const name of ["set-cookie", "authentication-info"]) expect(answer.headers.get(name)).toBeNull();
  });

  test("of headers with `_` only a declared credential arrives, and never as a context header", async () => {
    const { url, rest } = await startGateway({
      credentials: ["api_access_token", "x_service_tenant_id", "x_http_method_override", "cf_connecting"],
    });
    const sent = { api_access_token: "t", x_api_key: "no", other_one: "no", x_service_tenant_id: "no" };
    Object.assign(sent, { x_http_method_override: "no", cf_connecting: "no" });
    await fetch(new URL(me, url), { headers: { ...headers, ...sent } });
    const names = Object.keys(rest.seen[0]?.headers ?? {}).filter((name) => name.includes("_"));
    expect(names).toEqual(["api_access_token"]);
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
    const { url } = await startGateway({ rest, requestHeaders: ["x-hop", "x-end", "te", "keep-alive"] });
    const outgoing = httpRequest(new URL(me, url), {
      headers: {
        ...headers,
        ...{
          connection: "x-hop, close",
          "x-hop": "1",
          te: "trailers",
          "proxy-authorization": "Basic a",
        },
        ...{ "keep-alive": "1", "x-end": "1", x_api_key: "1" },
      },
    }).end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.resume();
    const names = Object.keys(seen[0] ?? {});
    expect(names).toEqual(expect.arrayContaining(["x-end", "x-api-key", "host", "connection"]));
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

  test("headers of an upstream for proxies, about itself or for the whole origin end at the gateway", async () => {
    const names = [
      "X-Accel-Redirect",
      "X-Accel-Buffering",
      "X-Sendfile",
      "X-Lighttpd-Send-File",
      "Surrogate-Control",
      "Refresh",
      "Clear-Site-Data",
      "Alt-Svc",
      "Strict-Transport-Security",
      "NEL",
      "Report-To",
      "Reporting-Endpoints",
      "Service-Worker-Allowed",
      "SourceMap",
      "X-SourceMap",
      "Server-Timing",
      "Via",
      "X-Envoy-Upstream-Service-Time",
      "X-Amzn-RequestId",
      "Traceresponse",
      "X-Runtime",
      "X-AspNet-Version",
      "X-Debug-Token",
      "X-Backend-Server",
      "X-Upstream",
      "X-Served-By",
    ];
    const rest = await upstream((_request, response) => {
      for (const name of names) response.setHeader(name, "internal-host");
      response.writeHead(200, { etag: '"a"', "content-language": "en", "x-total-count": "3" }).end("{}");
    });
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { headers });
    expect([...answer.headers].filter(([, value]) => value === "internal-host")).toEqual([]);
    const kept = ["etag", "content-language", "x-total-count"].map((name) => answer.headers.get(name));
    expect(kept).toEqual(['"a"', "en", "3"]);
  });

  test("a response may have any header several times", async () => {
    const lines = ["Connection: keep-alive", "Connection: x-hop", "X-Hop: 1", "__proto__: a", "__proto__: b"];
    const head = [...lines, "X-End: 1", "X-End: 2", "Content-Length: 2"].join("\r\n");
    const { url: rest } = await rawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n{}`));
    const { url } = await startGateway({ rest });
    const answer = await fetch(new URL(me, url), { headers });
    expect([answer.status, answer.headers.get("x-end")]).toEqual([200, "1, 2"]);
    const names = ["x-hop", "__proto__", "0"].filter((name) => answer.headers.has(name));
    expect(names).toEqual([]);
  });

  test("a client's trace ends here, and its request id travels if it is harmless", async () => {
    const { url, rest } = await startGateway();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const given = { ...headers, traceparent, tracestate: "a=b", "x-request-id": "request-1234" };
    const answer = await fetch(new URL(me, url), { headers: given });
    expect(answer.headers.get("x-request-id")).toBe("request-1234");
    const [, first] =
      /^00-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-00$/.exec(`${rest.seen[0]?.headers.traceparent}`) ?? [];
    expect(first).toMatch(/^(?!0af7651916cd43dd8448eb211c80319c)/);
    expect(rest.seen[0]?.headers).toMatchObject({ "x-request-id": "request-1234" });
    expect(rest.seen[0]?.headers.tracestate).toBeUndefined();
    const bad = { ...headers, traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01`, tracestate: "a=b" };
    const again = await fetch(new URL(me, url), { headers: { ...bad, "x-request-id": goodKey } });
    const second = rest.seen[1]?.headers;
    expect(second?.traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(second?.tracestate).toBeUndefined();
    expect(second?.["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(again.headers.get("x-request-id")).toBe(second?.["x-request-id"]);
  });
});
