/** What an operator sees of a host name that is not resolved, and that it takes nothing from other products. */
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LookupCache, lookupCache } from "../../../src/engine/runtime/dns/lookup-cache.ts";
import { stubResolver } from "../../../src/engine/runtime/dns/stub-resolver.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { start } from "../../../src/engine/server/program.ts";
import { watchUpstreams } from "../../../src/engine/server/watch-upstreams.ts";
import { service } from "../../../src/main.ts";
import { machine, nameServer, type Zone } from "../../engine/runtime/dns/name-server.ts";
import { patient } from "../../support/patient.ts";
import { keys, startLayer } from "../e2e/layer.ts";

/** Roles in this process, with the lines that a start writes. */
async function run(roles: readonly string[], environment: NodeJS.ProcessEnv) {
  const env = { PORT: "0", LOG_LEVEL: "silent", ...environment };
  const config = readConfig(env, roles);
  const { url, metrics, servers, end } = await start(config, service);
  onTestFinished(async () => {
    for (const { server } of servers) server.closeAllConnections();
    for (const server of servers) await server.close();
    await end?.();
  });
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const { operations } = await service.api();
  await watchUpstreams(servers[0], config, operations, { info: say, warn: say, fatal: say });
  const get = (path: string) => fetch(new URL(path, url));
  const ready = async () => {
    const answer = await get("/readyz");
    return { status: answer.status, body: (await answer.json()) as { status: string; warnings?: string[] } };
  };
  const ask = async (query: string): Promise<{ errors?: { extensions: { code: string } }[] }> => {
    const headers = { "content-type": "application/json", "x-api-key": keys.owner };
    const answer = await fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers,
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as { errors?: { extensions: { code: string } }[] };
  };
  const scrape = async () => (await fetch(new URL("/metrics", metrics ?? ""))).text();
  return { lines, ready, ask, scrape };
}

const platform = async (): Promise<string> => (await startLayer(["platform"])).url.port;

test("every connection that a role opens resolves its name by the cache", async () => {
  const names = new Set<string>();
  const note = ({ name }: { name: string }): void => void names.add(name);
  lookupCache.on("lookup", note);
  onTestFinished(() => void lookupCache.off("lookup", note));
  const secret = "a-secret-of-the-gateway";
  const { port } = (await startLayer(["platform"], { GATEWAY_SECRET: secret })).url;
  const paths = new Set<string>();
  const web = createHttpServer(({ url = "" }, response) => {
    paths.add(url);
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  const redis = createServer((socket) => void socket.destroy()).listen(0, "127.0.0.1");
  await Promise.all([web, redis].map((server) => once(server, "listening")));
  onTestFinished(() => {
    web.closeAllConnections();
    for (const server of [web, redis]) server.close();
    vi.unstubAllEnvs();
  });
  const portOf = (server: typeof web | typeof redis): number => (server.address() as AddressInfo).port;
  const collector = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector.localhost:${portOf(web)}`,
    OTEL_BSP_SCHEDULE_DELAY: "50",
  };
  for (const [name, value] of Object.entries(collector)) vi.stubEnv(name, value); // the exporter reads them
  const { ask, ready } = await run(["gateway", "graphql"], {
    ...patient,
    ...collector,
    GATEWAY_SECRET: secret,
    REST_BASE_URL: `http://rest.localhost:${port}`,
    REST_BASE_URL_CRM: `http://crm.localhost:${port}`,
    KEY_INTROSPECTION_URL: `http://keys.localhost:${port}/internal/keys/introspect`,
    REDIS_URL: `redis://redis.localhost:${portOf(redis)}`,
    OPERATIONS_FROM: `app=http://manifest.localhost:${portOf(web)}/app.json`,
  });
  await expect.poll(ready, { timeout: 60_000 }).toEqual({ status: 200, body: { status: "ok" } });
  expect((await ask("{ me { id } contacts { id } }")).errors).toBeUndefined();
  await expect.poll(() => [...paths].sort(), { timeout: 20_000 }).toEqual(["/app.json", "/v1/traces"]);
  expect([...names].sort()).toEqual(
    ["collector", "crm", "keys", "manifest", "redis", "rest"].map((name) => `${name}.localhost`),
  );
});

/** Name servers of the test instead of the machine's. */
async function withNameServer(zone: Zone) {
  const dns = await nameServer(zone);
  dns.ttl = 0;
  const cache = new LookupCache(stubResolver(machine([dns.server])));
  cache.on("lookup", (lookup) => lookupCache.emit("lookup", lookup));
  vi.spyOn(lookupCache, "within").mockImplementation((ms) => cache.within(ms));
  vi.spyOn(lookupCache, "expire").mockImplementation((name) => cache.expire(name));
  onTestFinished(() => void vi.restoreAllMocks());
  return dns;
}

describe("a product whose name servers are silent", () => {
  test("at the start: the others answer, it has a coded error, and /readyz and a line say why", async () => {
    const port = await platform();
    await withNameServer({ "rest.example": ["127.0.0.1"], "crm.example": "silent", "ai.example": "silent" });
    const { ask, ready, lines } = await run(["graphql"], {
      REST_BASE_URL: `http://rest.example:${port}`,
      REST_BASE_URL_INBOX: `http://localhost:${port}`,
      REST_BASE_URL_CRM: `http://crm.example:${port}`,
      REST_BASE_URL_AI: `http://ai.example:${port}`,
    });
    const why = "ETIMEOUT: no name server resolved its name in time";
    expect(lines.sort()).toEqual(
      ["ai", "crm"].map(
        (name) =>
          `REST_BASE_URL_${name.toUpperCase()}: http://${name}.example:${port} is not usable (${why}); its fields fail until it is`,
      ),
    );
    const { status, body } = await ready();
    expect([status, body.status, body.warnings?.sort()]).toEqual([
      200,
      "ok",
      [`waiting for REST_BASE_URL_AI (${why})`, `waiting for REST_BASE_URL_CRM (${why})`],
    ]);
    const failing = Promise.all(Array.from({ length: 20 }, () => ask("{ contacts { id } agents { id } }")));
    for (let asked = 0; asked < 8; asked++)
      expect((await ask("{ me { id } conversations { id } }")).errors).toBeUndefined();
    for (const { errors = [] } of await failing)
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^UPSTREAM_(?:TIMEOUT|UNAVAILABLE)$/)]),
      );
  });

  test("later: its last addresses are used; /readyz, a line and a metric say so until it is resolved again", async () => {
    const port = await platform();
    // a name of this test alone: lookups of the test before are still reported
    const dns = await withNameServer({ "later.example": ["127.0.0.1"] });
    const { ask, ready, lines, scrape } = await run(["graphql"], {
      METRICS_PORT: "0",
      REST_BASE_URL: `http://127.0.0.1:${port}`,
      REST_BASE_URL_CRM: `http://later.example:${port}`,
    });
    expect(await ready()).toEqual({ status: 200, body: { status: "ok" } });
    dns.zone["later.example"] = "SERVFAIL";
    let calls = 0;
    // reads at the same time, each of its own, need new connections
    await vi.waitFor(
      async () => {
        const reads = Array.from({ length: ++calls }, (_, read) =>
          ask(`{ contacts(q: "${calls} ${read}") { id } }`),
        );
        for (const { errors } of await Promise.all(reads)) expect(errors).toBeUndefined();
        expect((await ready()).body.warnings).toBeDefined();
      },
      { timeout: 60_000, interval: 200 },
    );
    const why =
      "not resolved (ESERVFAIL: the name servers fail to resolve its name); its last known addresses are used";
    expect(await ready()).toEqual({
      status: 200,
      body: { status: "ok", warnings: [`REST_BASE_URL_CRM: its name is ${why}`] },
    });
    expect(lines).toEqual([`REST_BASE_URL_CRM: later.example is ${why}`]);
    const text = await scrape();
    expect(text).toContain('dns_lookup_failing{dns_question_name="later.example"} 1');
    expect(text).toMatch(
      /dns_lookup_duration_seconds_count\{dns_question_name="later.example",error_type="ESERVFAIL"\} [1-9]/,
    );
  });
});

test("a line about a name is written once a minute at most, and one when it is resolved again", async () => {
  const port = await platform();
  const { ready, lines } = await run(["graphql"], { REST_BASE_URL: `http://rest.localhost:${port}` });
  const lookup = (code: string | undefined, addresses = 1) =>
    lookupCache.emit("lookup", { name: "rest.localhost", ms: 1, code, addresses });
  for (let lookups = 0; lookups < 10; lookups++) lookup("ETIMEOUT");
  lookup("ENOTFOUND", 0);
  expect((await ready()).body.warnings).toEqual([
    "REST_BASE_URL: its name is not resolved (ENOTFOUND: there is no such host); it cannot be reached",
  ]);
  lookup(undefined);
  lookup("ETIMEOUT");
  lookup(undefined);
  expect((await ready()).body).toEqual({ status: "ok" });
  expect(lines).toEqual([
    "REST_BASE_URL: rest.localhost is not resolved (ETIMEOUT: no name server resolved its name in time); its last known addresses are used",
    "REST_BASE_URL: rest.localhost is resolved again",
  ]);
});
