/** Responses by `Accept-Encoding`, from a role's own server and through the gateway. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { compressResponses } from "../../../src/engine/runtime/http/compress-responses.ts";
import { createServer } from "../../../src/engine/runtime/http/server.ts";
import { goodKey, listen } from "../../engine/gateway/fakes.ts";
import { startGateway } from "../../engine/gateway/start.ts";
import { configure } from "../../engine/runtime/graphql/configure.ts";
import { keys, openLayer } from "./layer.ts";

type Given = { path?: string; method?: string; headers?: Record<string, string>; body?: string };
type Received = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

/** The bytes as they come: `fetch` would decode them. */
async function ask(url: URL, { path = "/", method = "GET", headers = {}, body }: Given): Promise<Received> {
  const outgoing = httpRequest(new URL(path, url), { method, headers }).end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const decode = ({ headers, body }: Received): string => {
  if (headers["content-encoding"] === "br") return brotliDecompressSync(body).toString();
  return (headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
};

describe("a role", () => {
  const textOf = (bytes: number): string => JSON.stringify("ab".repeat(bytes).slice(0, bytes - 2));

  async function serve(): Promise<URL> {
    const server = createServer(configure());
    await compressResponses(server);
    server.get("/:bytes", async (request, reply) =>
      reply.type("application/json").send(textOf(Number((request.params as { bytes: string }).bytes))),
    );
    server.get("/failing", async () => {
      throw new Error("fails");
    });
    onTestFinished(() => server.close());
    return new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
  }

  test("does not go on with the compression of responses whose clients have left", async () => {
    setFlagsFromString("--expose-gc");
    setFlagsFromString("--no-concurrent-array-buffer-sweeping"); // on another thread it is late on a busy machine
    const collect = runInNewContext("gc") as () => void;
    const server = createServer(configure());
    await compressResponses(server);
    const text = JSON.stringify(randomBytes(3_000_000).toString("base64"));
    server.get("/", async (_request, reply) => reply.type("application/json").send(Buffer.from(text)));
    onTestFinished(() => server.close());
    const url = new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
    const leave = async (): Promise<void> => {
      const outgoing = httpRequest(url, { headers: { "accept-encoding": "gzip" }, agent: false }).end();
      const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
      answer.on("error", () => {});
      await once(answer, "readable");
      await sleep(20);
      outgoing.destroy();
    };
    for (let round = 0; round < 10; round++) await Promise.all([leave(), leave(), leave()]);
    collect();
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(60_000_000); // all of them are 120 MB
  });

  test.each([
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", undefined],
    ["gzip;q=0", undefined],
    ["deflate", undefined],
  ])("answers a client that accepts %s with %s", async (accepted, encoding) => {
    const url = await serve();
    for (const bytes of [1_023, 1_024, 65_536, 65_537, 3_000_000]) {
      const answer = await ask(url, { path: `/${bytes}`, headers: { "accept-encoding": accepted } });
      expect(answer.headers["content-encoding"]).toBe(bytes < 1_024 ? undefined : encoding);
      expect(answer.headers.vary).toBe("accept-encoding");
      expect(decode(answer) === textOf(bytes)).toBe(true);
      if (encoding && bytes > 1_024) expect(answer.body.length).toBeLessThan(bytes / 2);
    }
  });

  test("does not compress for a client that names no encoding, and still sends Vary", async () => {
    const url = await serve();
    for (const path of ["/10", "/5000", "/failing", "/healthz"]) {
      const { headers } = await ask(url, { path });
      expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "accept-encoding"]);
    }
  });
});

test("a compressed request body is not read", async () => {
  const { url } = await openLayer(["graphql"], { REST_BASE_URL: "http://127.0.0.1:1" });
  const bomb = gzipSync(`{"query":"{ __typename }"${" ".repeat(900_000)}}`);
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const answer = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body: bomb });
  expect([answer.status, answer.headers.get("accept-encoding")]).toEqual([415, "identity"]);
});

describe("the gateway", () => {
  test("compresses a response once, while it streams, and adds to Vary", async () => {
    const sent = gzipSync("a".repeat(50_000));
    const behind = await listen((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip", vary: "accept-encoding" }).end(sent),
    );
    onTestFinished(behind.close);
    const origin = "https://dashboard.example";
    const { url } = await startGateway({ rest: behind.url, env: { CORS_ORIGINS: origin } });
    const headers = { "x-api-key": goodKey, "accept-encoding": "br, gzip", origin };
    const answer = await ask(url, { path: "/v1/things", headers });
    expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, "gzip"]);
    expect(answer.headers.vary).toBe("Origin, accept-encoding");
    expect(answer.body.equals(sent)).toBe(true);
  });

  test.each(["gzip", "br"])(
    "gives GraphQL's and REST's answers in %s, the same as plain",
    async (encoding) => {
      const { url } = await openLayer();
      const key = { "x-api-key": keys.owner, "content-type": "application/json" };
      const body = JSON.stringify({ query: "{ contacts { id name } agents { id name } }" });
      const post: Given = { path: "/v1/graphql", method: "POST", headers: key, body };
      for (const given of [post, { path: "/v1/crm/contacts", headers: key }]) {
        const plain = await ask(url, given);
        const small = await ask(url, { ...given, headers: { ...key, "accept-encoding": encoding } });
        expect([plain.status, plain.headers["content-encoding"]]).toEqual([200, undefined]);
        expect([small.status, small.headers["content-encoding"]]).toEqual([200, encoding]);
        expect(decode(small)).toBe(plain.body.toString());
        expect(small.body.length).toBeLessThan(plain.body.length / 2);
        for (const { headers } of [plain, small])
          expect(headers.vary).toMatch(/^accept-encoding(?:$|, x-api-key)/);
      }
    },
  );
});
