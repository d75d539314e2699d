/** What HAProxy's configuration does: pass requests on, hide health, speak in the API's shapes for themselves. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { goodKey as key } from "../../engine/gateway/fakes.ts";
import { secret, startGateway } from "../../engine/gateway/start.ts";
import { inFrontOf, me, send } from "../../engine/runtime/graphql/rest-stand-in.ts";
import { freePort } from "../../support/free-port.ts";
import { isInstalled, startBalancer } from "./start-balancer.ts";

/** In front of a gateway at `port`, twice. */
const start = (port: number) => startBalancer({ gateways: [port, port] });

describe("haproxy", () => {
  const timeout = 90_000;
  const isHere = isInstalled("haproxy");

  test.skipIf(!isHere)("passes requests on, says whose they are, and hides health", { timeout }, async () => {
    const { url, rest } = await startGateway({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
    const { ask } = await start(Number(url.port));
    await expect.poll(async () => (await ask("/v1/x", { key })).status, { timeout: 30_000 }).toBe(200);
    expect((await ask("/v1/x", { key: "none" })).status).toBe(401);
    for (const path of ["/healthz", "/readyz", "/%68ealthz", "/read%79z?a"])
      expect((await ask(path)).status, path).toBe(404);
    expect(rest.seen.every(({ headers }) => headers["x-forwarded-for"] === "127.0.0.1")).toBe(true);
  });

  test.skipIf(!isHere)(
    "without a gateway, says so in the path's shape to any page",
    { timeout },
    async () => {
      const { ask } = await start(await freePort());
      await expect.poll(async () => (await ask("/v1/x")).status, { timeout: 30_000 }).toBe(503);
      const graphql = await ask("/v1/graphql", { body: "{}" });
      expect([graphql.status, graphql.type]).toEqual([503, "application/json; charset=utf-8"]);
      expect(JSON.parse(graphql.text).errors[0].extensions.code).toBe("SERVICE_UNAVAILABLE");
      const accept = "application/graphql-response+json,application/json;q=0.9";
      const newer = await ask("/v1/graphql", { body: "{}", accept });
      expect([newer.type, newer.text]).toEqual([
        "application/graphql-response+json; charset=utf-8",
        graphql.text,
      ]);
      const rest = await ask("/v1/x");
      expect([graphql.origin, rest.origin]).toEqual(["*", "*"]);
      expect(rest.type).toBe("application/problem+json");
      expect(JSON.parse(rest.text)).toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE" });
    },
  );

  test.skipIf(!isHere)("passes each deferred part on as it comes", { timeout }, async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const { url: graphql } = await inFrontOf(
      ({ url = "" }, response) => {
        if (!url.includes("/agents")) return send(response, me);
        void promise.then(() => send(response, { items: [], hasMore: false }));
      },
      { GATEWAY_SECRET: secret },
    );
    const { url } = await startGateway({ env: { TRUSTED_PROXIES: "127.0.0.1" }, graphql });
    const { ask, front, dispatcher } = await start(Number(url.port));
    const plain = JSON.stringify({ query: "{ me { id } }" });
    await expect
      .poll(async () => (await ask("/v1/graphql", { key, body: plain })).status, { timeout: 30_000 })
      .toBe(200);
    const { body } = await request(`${front}/v1/graphql`, {
      method: "POST",
      dispatcher,
      headers: {
        "content-type": "application/json",
        accept: "multipart/mixed;incrementalSpec=v0.2, application/json",
        "accept-encoding": "gzip, br",
        "x-api-key": key,
      },
      body: JSON.stringify({ query: "{ me { id } ... @defer { agents { id } } }" }),
    });
    let text = "";
    for await (const chunk of body) {
      text += String(chunk);
      if (text.includes('"hasNext":true')) open();
    }
    expect(text.match(/"hasNext":\w+/g)).toEqual(['"hasNext":true', '"hasNext":false']);
  });

  test.skipIf(!isHere)("without a graphql role, says when to ask again", { timeout }, async () => {
    const { inner } = await start(await freePort());
    const { status, headers } = await fetch(inner, { method: "POST", body: "{}" });
    expect([status, headers.get("retry-after"), headers.get("cache-control")]).toEqual([
      503,
      "1",
      "private, no-store",
    ]);
  });

  test.skipIf(!isHere)(
    "repeats a safe request that gets no response, and sends others once",
    { timeout },
    async () => {
      const seen: string[] = [];
      const server = createServer(({ url = "", method = "" }, response) => {
        if (url === "/readyz") return void response.end();
        seen.push(method);
        if (seen.length === 1) return void response.socket?.destroy();
        response.end("second");
      }).listen(0, "127.0.0.1");
      onTestFinished(() => void server.close().closeAllConnections());
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const { front, inner, dispatcher } = await startBalancer({
        gateways: [port, port],
        graphql: [port, port],
      });
      const send = async (origin: string, method: string): Promise<[number, string[]]> => {
        seen.length = 0;
        const body = method === "POST" ? "{}" : null;
        const to = { method: method as "GET", dispatcher, body, reset: true };
        const answer = await request(`${origin}/v1/graphql`, to);
        await answer.body.text();
        return [answer.statusCode, [...seen]];
      };
      const isUp = async (): Promise<number[]> =>
        Promise.all([front, inner].map(async (origin) => (await send(origin, "OPTIONS"))[0]));
      await expect.poll(isUp, { timeout: 30_000 }).toEqual([200, 200]);
      for (const origin of [front, inner]) {
        for (const method of ["GET", "HEAD", "QUERY"])
          expect(await send(origin, method)).toEqual([200, [method, method]]);
        for (const method of ["POST", "PUT", "DELETE"])
          expect(await send(origin, method)).toEqual([502, [method]]);
      }
    },
  );

  test.skipIf(!isHere)("serves its metrics, and a page of its servers", { timeout }, async () => {
    const { url } = await startGateway({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
    const { status } = await start(Number(url.port));
    const active = async () => {
      const metrics = await (await fetch(new URL("/metrics", status))).text();
      return /^haproxy_backend_active_servers\{proxy="gateways"\} (\d+)/m.exec(metrics)?.[1];
    };
    await expect.poll(active, { timeout: 30_000 }).toBe("2");
    const metrics = await (await fetch(new URL("/metrics", status))).text();
    expect(metrics).toContain('haproxy_server_status{proxy="gateways",server="gateway1",state="DOWN"} 0');
    expect(metrics).toContain(
      'haproxy_server_check_status{proxy="gateways",server="gateway1",state="L7STS"} 0',
    );
    const page = await fetch(status);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"]);
  });
});
