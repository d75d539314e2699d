/** What Prometheus reads: right counts, and nothing of any tenant. */

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { refusingUrl } from "../../engine/gateway/start.ts";
import { http, rawServer } from "../../engine/runtime/rest/raw-server.ts";
import { get, query, runForAll, runReady } from "./program.ts";

const { key, tenant } = demoKeys[0] as (typeof demoKeys)[number];

/** Debian's package `prometheus` has it, and `.ci/run` installs it. */
/** Functions of PromQL, metrics of HAProxy, of blackbox_exporter and of a gateway with `KEYS_FILE`, and what recording rules make. */
const elsewhere =
  /^(?:group_left|histogram_quantile|(?:max|present)_over_time|error_ratio|haproxy_\w+|probe_success|gateway_keys_file_failing)$/;
const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

/** `npm run suite -- slow` sends 10,000. */
const requests = Number(process.env.REQUESTS ?? 1_000);

type Program = { output: () => string };

/** The value of each sample, by its name and labels as they are written. */
async function scrape({ output }: Program): Promise<{ text: string; at: Map<string, number> }> {
  const answer = await fetch(/metrics: (\S+)/.exec(output())?.[1] ?? "");
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return { text, at: new Map(samples.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line))])) };
}

/** Waits until a sample has its value: a request is counted when its answer has left, which its client may see earlier. */
const expectSample = (program: Program, sample: string, value: unknown): Promise<void> =>
  vi.waitFor(async () => expect([sample, (await scrape(program)).at.get(sample)]).toEqual([sample, value]), {
    timeout: 60_000,
    interval: 50,
  });

const count = "http_server_request_duration_seconds_count";
const requestLabels = (method: string, route: string, status: number, error = "") =>
  `http_request_method="${method}",url_scheme="http",http_route="${route}",http_response_status_code="${status}",error_type="${error}"`;

describe("METRICS_PORT", () => {
  const folder = mkdtempSync(join(tmpdir(), "metrics-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const jwks = join(folder, "jwks.json");
  writeFileSync(jwks, '{"keys":[]}');
  const all = runForAll([], {
    ...{ METRICS_PORT: "0", REDIS_URL: "redis://127.0.0.1:1" }, // nobody is there
    ...{ USAGE_DIR: folder, TOKEN_ISSUER: "a", TOKEN_AUDIENCE: "b", TOKEN_JWKS: jwks },
  });

  test("counts what each role answers, what it calls, and what ran the operations", async () => {
    const program = all(); // nobody has asked it before
    await query(program.url, "{ me { id } contacts { id } }", key);
    await query(program.url, "{ me { email } }", key);
    await query(program.url, "{ __schema { queryType { name } } }", key);
    await get(program.url, "/v1/identity/me", "sk_test_nobody");
    const graphql = requestLabels("POST", "/v1/graphql", 200);
    await expectSample(program, `${count}{role="gateway",${graphql}}`, 3);
    await expectSample(program, `${count}{role="graphql",${graphql}}`, 3);
    await expectSample(program, `${count}{role="gateway",${requestLabels("GET", "/v1/*", 401)}}`, 1);
    const { text, at } = await scrape(program);
    expect(at.get("graphql_executions_total")).toBe(3);
    expect(at.get('graphql_operation_duration_seconds_count{operation="other"}')).toBe(3);
    const calls = [...at].filter(([name]) => /^http_client\w+_count\{.*status_code="200"/.test(name));
    // the introspection of one key, which is cached; two reads of REST (the second profile is cached); the gateway's to graphql
    expect(calls.map(([, value]) => value).sort()).toEqual([1, 2, 3]);
    const methods = calls.map(([name]) => /method="(\w+)"/.exec(name)?.[1]).sort();
    expect(methods).toEqual(["GET", "POST", "POST"]);
    const ofMe = 'operation="getMe",product="IDENTITY"';
    expect(at.get(`rest_calls_total{${ofMe},outcome="OK",retry="false",source="fetched"}`)).toBe(1);
    expect(at.get(`rest_calls_total{${ofMe},outcome="OK",retry="false",source="cached"}`)).toBe(1);
    expect(at.get(`rest_call_duration_seconds_count{${ofMe}}`)).toBe(1);
    expect(at.get('gateway_key_checks_total{cache="hit"}')).toBe(2);
    expect(at.get('gateway_key_checks_total{cache="miss"}')).toBe(1); // the wrong key has no key's shape
    expect(at.get('gateway_key_lookups_total{outcome="active"}')).toBe(1);
    expect(at.get('http_server_active_requests{role="graphql"}')).toBe(0);
    expect(at.get('http_server_connections{role="graphql"}')).toBeGreaterThan(0);
    expect(at.get('rest_connections{product="IDENTITY"}')).toBeGreaterThan(0);
    expect(at.get('rest_circuit_breaker_open{product="IDENTITY"}')).toBe(0);
    expect(
      at.get('http_server_request_errors_total{role="gateway",code="UNAUTHENTICATED",reason="not_a_key"}'),
    ).toBe(1);
    expect(at.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    for (const secret of [key, tenant, "olivia", "sk_"]) expect(text).not.toContain(secret);
  });

  test("a saved operation is counted by its name, with the code of its first error", async () => {
    const rest = await refusingUrl();
    const program = await runReady(["graphql"], { METRICS_PORT: "0", REST_BASE_URL: rest.href });
    const { id } = await savedOperation("StartPage");
    const variables = { from: "2026-01-01", to: "2026-01-02", q: "a" };
    const body = JSON.stringify({ documentId: `sha256:${id}`, operationName: "StartPage", variables });
    const headers = { "x-api-key": key, "content-type": "application/json" };
    await fetch(new URL("/v1/graphql", program.url), { method: "POST", headers, body });
    await expectSample(program, 'graphql_operation_duration_seconds_count{operation="StartPage"}', 1);
    const run = 'graphql_client_operations_total{app="",version="",operation="StartPage"}';
    await expectSample(program, run, 1);
    const code = 'operation="StartPage",code="UPSTREAM_UNAVAILABLE"';
    await expectSample(program, `graphql_operation_errors_total{${code}}`, 1);
  });

  test("an app's operation is counted by the app, its version and its name; other names are no labels", async () => {
    const folder = mkdtempSync(join(tmpdir(), "messaging-graphql-metrics-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const body = "query Inbox { me { id } }";
    writeFileSync(join(folder, "crm.json"), JSON.stringify({ one: body, two: "query Old { nothing }" }));
    writeFileSync(join(folder, "desk.json"), "{");
    const rest = await refusingUrl();
    const program = await runReady(["graphql"], {
      ...{ METRICS_PORT: "0", REST_BASE_URL: rest.href, OPERATIONS_FROM: folder, ACCESS_LOG: "all" },
    });
    const run = (name: string, version: string) =>
      fetch(new URL("/v1/graphql", program.url), {
        method: "POST",
        headers: {
          ...{ "x-api-key": key, "content-type": "application/json" },
          ...{ "graphql-client-name": name, "graphql-client-version": version },
        },
        body: JSON.stringify({ documentId: "one" }),
      });
    for (let version = 1; version <= 21; version++) await run("crm", `1.${version}`);
    await run("nobody", "9.9");
    const of = (version: string) =>
      `graphql_client_operations_total{app="crm",version="${version}",operation="crm/Inbox"}`;
    await expectSample(program, of("1.20"), 1);
    await expectSample(program, of("other"), 2); // the 21st version, and a client that is no app of a manifest
    await expectSample(program, 'graphql_operation_duration_seconds_count{operation="crm/Inbox"}', 22);
    await expectSample(program, 'graphql_manifest_operations{app="crm"}', 2);
    await expectSample(program, 'graphql_manifest_refused_operations{app="crm"}', 1);
    await expectSample(program, 'graphql_manifest_errors{app="desk"}', 1);
    await expectSample(program, 'graphql_manifest_unavailable{app="desk"}', 1);
    await expectSample(program, 'graphql_manifest_unavailable{app="crm"}', 0);
    const { text } = await scrape(program);
    expect(text).not.toMatch(/"nobody"|"9\.9"/);
    expect(program.output()).toMatch(/"app":"crm","client":"nobody","clientVersion":"9.9"/);
    expect(program.output()).toMatch(/"app":"crm","operation":"Old","reason":"Cannot query field/);
    expect(program.output()).toMatch(/"app":"desk",.*"reason":"is not valid JSON"/);
  });

  test("a REST call that fails is counted by its outcome: the code, the retry, the open circuit", async () => {
    const rest = await refusingUrl();
    const secret = "secret-of-the-gateway-of-this-test";
    const given = { METRICS_PORT: "0", REST_BASE_URL: rest.href, GATEWAY_SECRET: secret };
    const program = await runReady(["graphql"], given);
    await query(program.url, "{ me { id } }", key);
    const to = `http_request_method="GET",server_address="127.0.0.1",server_port="${rest.port}"`;
    const labels = `${to},http_response_status_code="",error_type="ECONNREFUSED"`;
    const ofMe = 'operation="getMe",product="IDENTITY"';
    const { at } = await scrape(program);
    // the call, its retry and the probes of the start
    expect(at.get(`http_client_request_duration_seconds_count{${labels}}`)).toBeGreaterThan(2);
    expect(
      at.get(`rest_calls_total{${ofMe},outcome="UPSTREAM_UNAVAILABLE",retry="false",source="fetched"}`),
    ).toBe(1);
    expect(
      at.get(`rest_calls_total{${ofMe},outcome="UPSTREAM_UNAVAILABLE",retry="true",source="fetched"}`),
    ).toBe(1);
    // one tenant's failures open a circuit for that tenant alone
    for (let asked = 0; asked < 8; asked++)
      await query(program.url, "{ me { id } }", key, {
        ...{ "x-gateway-proof": secret, "x-service-tenant-id": `tenant-${asked % 2}` },
        ...{ "x-service-user-id": "user", "x-service-api-key-id": "key" },
      });
    const later = (await scrape(program)).at;
    expect(
      later.get(`rest_calls_total{${ofMe},outcome="CIRCUIT_OPEN",retry="false",source="fetched"}`),
    ).toBeGreaterThan(0);
    expect(later.get('rest_circuit_breaker_open{product="IDENTITY"}')).toBe(1);
    expect(later.get('rest_circuit_breaker_open{product="CRM"}')).toBe(0);
  });

  test("a client that leaves is counted, and so is the REST call that it abandons", async () => {
    const program = await runOverSilence({});
    const headers = { "content-type": "application/json", "x-api-key": key };
    const leaving = httpRequest(new URL("/v1/graphql", program.url), { method: "POST", headers });
    leaving.on("error", () => {}).end('{"query":"{ me { id } }"}');
    await expectSample(program, 'rest_calls_in_flight{product="IDENTITY"}', 1);
    leaving.destroy();
    const labels = `role="graphql",${requestLabels("POST", "/v1/graphql", 499)}`;
    await expectSample(program, `${count}{${labels}}`, 1);
    const call = 'operation="getMe",product="IDENTITY",outcome="ABANDONED",retry="false",source="fetched"';
    await expectSample(program, `rest_calls_total{${call}}`, 1);
    const code = 'role="graphql",code="CLIENT_CLOSED_REQUEST",reason=""';
    await expectSample(program, `http_server_request_errors_total{${code}}`, 1);
    await expectSample(program, 'http_server_active_requests{role="graphql"}', 0);
  });

  test("a refusal is counted by the limit or the bound behind it", async () => {
    const program = await runOverSilence({ MAX_CONCURRENT_REQUESTS: "1", REQUEST_TIMEOUT_MS: "60000" });
    void query(program.url, "{ me { id } }", key).catch(() => {});
    await expectSample(program, 'http_server_active_requests{role="graphql"}', 1);
    await query(program.url, "{ me { id } }", key);
    const shed = 'role="graphql",code="SERVICE_UNAVAILABLE",reason="requests_in_flight"';
    await expectSample(program, `http_server_request_errors_total{${shed}}`, 1);
    await get(program.url, `/v1/${"x".repeat(30_000)}`).catch(() => {});
    const long = 'role="graphql",code="LIMIT_EXCEEDED",reason="MAX_HEADER_BYTES"';
    await expectSample(program, `http_server_request_errors_total{${long}}`, 1);
  });

  test(`${requests} random names, paths and methods make no series of their own`, async () => {
    const program = all();
    const one = await burst(program.url, 200);
    expect(one).toBe(200);
    await expectSample(program, 'http_server_active_requests{role="gateway"}', 0);
    const before = new Set((await scrape(program)).at.keys());
    expect(await burst(program.url, requests)).toBe(requests);
    const after = [...(await scrape(program)).at.keys()];
    // what the first requests did not meet by chance, such as a shed or a time-out
    const added = after.filter((sample) => !before.has(sample) && !/^nodejs_|_bucket\{|_sum\{/.test(sample));
    expect(added.length, added.join("\n")).toBeLessThan(20);
    expect(after.filter((sample) => /random/i.test(sample))).toEqual([]);
  });

  test.skipIf(!hasPromtool)("promtool finds nothing wrong", async () => {
    const program = all();
    await query(program.url, "{ me { id } contacts { id } }", key);
    const { text } = await scrape(program);
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  test("has every metric that the alerts and the dashboard ask for", async () => {
    const program = all();
    await query(program.url, "{ me { id } nothing }", key);
    await query(program.url, "{ me { id } }", key);
    const { text } = await scrape(program);
    const named = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = "", type]) =>
        type === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => name + part) : [name],
      ),
    );
    const { panels } = JSON.parse(readFileSync("deploy/grafana/dashboard.json", "utf8")) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const alerts =
      readFileSync("deploy/prometheus/alerts.yaml", "utf8").match(/expr: (?:\|\n(?: {10,}.*\n)+|.*)/g) ?? [];
    const asked = [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...alerts];
    expect(asked.length).toBeGreaterThan(30);
    const metrics = asked.flatMap(
      (expression) =>
        expression
          .replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, "")
          .match(/\b[a-z]+(?:_[a-z0-9]+)+\b|\bready\b/g) ?? [],
    );
    expect(metrics.filter((name) => !named.has(name) && !elsewhere.test(name))).toEqual([]);
  });

  test("is served on its own port only", async () => {
    const { url, output } = await runReady(["platform"]);
    expect((await get(url, "/metrics")).status).toBe(404);
    expect(output()).not.toContain("metrics");
  });
});

/** The graphql role over a REST that answers the probes of the start, and nothing after it. */
async function runOverSilence(environment: NodeJS.ProcessEnv) {
  const rest = { isSilent: false };
  const { url } = await rawServer((socket) => void (rest.isSilent || socket.write(http(200, "{}"))));
  const program = await runReady(["graphql"], {
    ...{ METRICS_PORT: "0", REST_BASE_URL: url.href },
    ...environment,
  });
  rest.isSilent = true;
  return program;
}

async function savedOperation(name: string): Promise<{ id: string }> {
  const { default: manifest } = await import("../../../generated/operations-manifest.json", {
    with: { type: "json" },
  });
  const found = manifest.operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`${name} is not saved`);
  return found;
}

const methods = "GET POST PUT DELETE PATCH HEAD OPTIONS TRACE RANDOM PROPFIND M-SEARCH".split(" ");

/** Sends requests that a client makes up, a hundred on a connection. Returns how many were sent. */
async function burst({ hostname, port }: URL, requests: number): Promise<number> {
  let sent = 0;
  while (sent < requests) {
    const texts = Array.from({ length: 20 }, () => madeUp(sent++));
    const socket = net.connect(Number(port), hostname);
    socket.on("error", () => {}).resume();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.end(texts.join(""));
    await closed;
  }
  return sent;
}

function madeUp(index: number): string {
  const name = `Random${index}of${randomUUID().replaceAll("-", "")}`;
  const head = `Host: a\r\nX-API-Key: ${key}\r\n`;
  if (index % 2 === 0) {
    const body = JSON.stringify({ query: `query ${name} { me { ${name}: id } }`, operationName: name });
    return `POST /v1/graphql HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }
  const paths = [`/${name}`, `/v1/${name}/${name}`, `/v1/crm/${name}?q=${name}`, `/%zz${name}`];
  return `${methods[index % methods.length]} ${paths[index % paths.length]} HTTP/1.1\r\n${head}\r\n`;
}
