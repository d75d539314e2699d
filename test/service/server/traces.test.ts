/** One trace from the client's request to REST, as an OTLP receiver gets it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import manifest from "../../../generated/operations-manifest.json" with { type: "json" };
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { start } from "../../../src/engine/server/program.ts";
import { service } from "../../../src/main.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { freePort } from "../../support/free-port.ts";
import { patient } from "../../support/patient.ts";
import { get, query, runReady } from "./program.ts";

const { key, tenant } = demoKeys[0] as (typeof demoKeys)[number];

type Attribute = { key: string; value: Record<string, unknown> };
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attribute[];
  readonly status: { code?: number };
  readonly links?: { readonly traceId: string; readonly spanId: string }[];
};

/** An OTLP/HTTP receiver of JSON (OTLP 1.x, "OTLP/HTTP"): `POST /v1/traces`, answered by `{}`. */
async function receiver(port = 0) {
  const texts: string[] = [];
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    requests.push(
      `${request.method} ${request.url} ${request.headers["content-type"]} ${request.headers.extra}`,
    );
    texts.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const resourceSpans = () => texts.flatMap((text) => JSON.parse(text).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    text: () => texts.join(),
    resources: (): Attribute[][] => resourceSpans().map(({ resource }) => resource.attributes),
    spans: (): Span[] =>
      resourceSpans().flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }: { spans: Span[] }) => spans),
      ),
  };
}

const attributeOf = (attributes: Attribute[], name: string): unknown =>
  Object.values(attributes.find((attribute) => attribute.key === name)?.value ?? {})[0];

/** A client's. The lowest trace id is the one that every ratio takes. */
const clientsTraceId = `${"0".repeat(31)}1`;
const clientsSpanId = "b7ad6b7169203331";
const traceparent = (flags: string): Record<string, string> => ({
  traceparent: `00-${clientsTraceId}-${clientsSpanId}-${flags}`,
});
const server = 2;
const client = 3;

test("a saved operation is one trace: gateway, graphql, each REST call, and REST saw it", async () => {
  const { url, requests, text, resources, spans } = await receiver();
  const program = await runReady([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: "extra=1",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=staging",
    ACCESS_LOG: "all",
    BUILD: "abc123",
  });
  const { id, name } = manifest.operations.find((operation) => operation.name === "FindCustomers") ?? {};
  const answer = await fetch(new URL("/v1/graphql", program.url), {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", "x-api-key": key, "x-request-id": "request-1" },
      ...traceparent("01"),
    },
    body: JSON.stringify({ documentId: id }),
  });
  expect(((await answer.json()) as { errors?: unknown }).errors).toBeUndefined();
  await query(program.url, '{ contact(id: "none") { id } }', key);
  await program.stop("SIGTERM"); // which sends what waits
  expect(new Set(requests)).toEqual(new Set(["POST /v1/traces application/json 1"]));
  const attributes = resources()[0] as Attribute[];
  expect(attributeOf(attributes, "service.name")).toBe("messaging-graphql");
  expect(attributeOf(attributes, "service.version")).toBe("abc123");
  expect(attributeOf(attributes, "deployment.environment.name")).toBe("staging");
  const [gateway] = spans().filter(({ links = [] }) => links.length > 0);
  expect(gateway?.links).toMatchObject([{ traceId: clientsTraceId, spanId: clientsSpanId }]);
  const { traceId } = gateway as Span;
  expect(traceId).not.toBe(clientsTraceId);
  expect(gateway?.parentSpanId ?? "").toBe("");
  const trace = spans().filter((span) => span.traceId === traceId);
  const [graphql] = trace.filter(({ parentSpanId }) => parentSpanId === gateway?.spanId);
  expect(gateway).toMatchObject({ name: "POST /v1/graphql", kind: server });
  expect(graphql).toMatchObject({ name: "POST /v1/graphql", kind: server });
  // semantic conventions for GraphQL server spans
  const [operation] = trace.filter(({ parentSpanId }) => parentSpanId === graphql?.spanId);
  expect(operation).toMatchObject({ name: "query", kind: server });
  const ofOperation = (name: string) => attributeOf(operation?.attributes ?? [], name);
  expect(ofOperation("graphql.operation.name")).toBe(name);
  expect(ofOperation("graphql.operation.type")).toBe("query");
  expect(ofOperation("graphql.document")).toMatch(/^query FindCustomers\b/);
  for (const span of [gateway, graphql]) {
    const of = (name: string) => attributeOf(span?.attributes ?? [], name);
    expect(of("http.request.method")).toBe("POST");
    expect(of("url.path")).toBe("/v1/graphql");
    expect(of("url.scheme")).toBe("http");
    expect(of("server.address")).toBe("127.0.0.1");
    expect(of("server.port")).toBeGreaterThan(0);
    expect(of("http.response.status_code")).toBe(200);
  }
  expect(attributeOf(graphql?.attributes ?? [], "restbound.request.id")).toBe("request-1");
  const calls = trace.filter(({ parentSpanId }) => parentSpanId === operation?.spanId);
  expect(calls.map((call) => call.name).sort()).toEqual(["GET /v1/ai/agents", "GET /v1/crm/contacts"]);
  for (const call of calls) {
    expect(call.kind).toBe(client);
    expect(attributeOf(call.attributes, "server.address")).toBe("127.0.0.1");
    expect(attributeOf(call.attributes, "server.port")).toBeGreaterThan(0);
    expect(attributeOf(call.attributes, "url.full")).toMatch(
      new RegExp(
        `^http://127\\.0\\.0\\.1:\\d+${call.name.slice(4)}(?:\\?\\w+=REDACTED(?:&\\w+=REDACTED)*)?$`,
      ),
    );
  }
  expect(trace).toHaveLength(5);
  // the other request had no parent: a trace of its own; REST's 404 is an error of the call alone
  const [missing] = spans().filter(
    (span) => attributeOf(span.attributes, "restbound.rest.operation.id") === "getContact",
  );
  expect([traceId, clientsTraceId]).not.toContain(missing?.traceId);
  expect(attributeOf(missing?.attributes ?? [], "error.type")).toBe("NOT_FOUND");
  const lines = program
    .output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const seen = lines.filter((line) => line.traceId === traceId).map(({ role }) => role);
  expect(seen.sort()).toEqual(["gateway", "graphql", "platform", "platform"]);
  for (const secret of [key, "sk_", tenant, "harbor"]) expect(text()).not.toContain(secret);
});

const anUpstream = "http://127.0.0.1:1";

/** The traces that a role in this process sends for requests with these headers. */
async function tracesOf(
  role: "gateway" | "graphql",
  environment: NodeJS.ProcessEnv,
  path: string,
  ...requests: readonly Record<string, string>[]
): Promise<string[]> {
  const { url: endpoint, spans } = await receiver();
  onTestFinished(() => void vi.unstubAllEnvs());
  const given = { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value); // the exporter reads them
  const upstreams = { REST_BASE_URL: anUpstream, KEY_INTROSPECTION_URL: anUpstream };
  const settings = { PORT: "0", LOG_LEVEL: "silent", ...patient, ...upstreams, ...given };
  const { url, servers, end } = await start(readConfig(settings, [role]), service);
  for (const headers of requests) await fetch(new URL(path, url), { headers });
  for (const server of servers) await server.close();
  await end?.();
  return spans().map((span) => span.traceId);
}

const ofGateway = (environment: NodeJS.ProcessEnv, ...requests: readonly Record<string, string>[]) =>
  tracesOf(
    "gateway",
    environment,
    "/v1/identity/me",
    ...requests.map((headers) => ({ "x-api-key": key, ...headers })),
  );

test("a span is sent for each request, whether its client's trace is sampled or not", async () => {
  const traces = await ofGateway({}, {}, traceparent("01"), traceparent("00"));
  expect(traces).toHaveLength(3);
  expect(traces).not.toContain(clientsTraceId);
});

test.each<[NodeJS.ProcessEnv, headers: Record<string, string>]>([
  ...["parentbased_traceidratio", "traceidratio"].map(
    (sampler): [NodeJS.ProcessEnv, Record<string, string>] => [
      { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: "0.000000001" },
      traceparent("01"),
    ],
  ),
  [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, traceparent("01")],
  [{ OTEL_TRACES_SAMPLER: "always_off" }, traceparent("01")],
  [{ OTEL_SDK_DISABLED: "true" }, {}],
  [{ OTEL_TRACES_EXPORTER: "none" }, {}],
])("no span is sent with %j, if the request has %j", async (environment, headers) => {
  expect(await ofGateway(environment, headers)).toEqual([]);
});

test.each([
  ["no span", "00", true],
  ["a span", "01", true],
  ["no span", "01", false],
])(
  "%s of `graphql` and its operation: the flag is %s, and the request has the gateway's proof: %s",
  async (expected, flags, isProved) => {
    const proof = "a-secret-of-the-gateway";
    const sampler = isProved ? "parentbased_always_on" : "parentbased_always_off";
    const environment = { GATEWAY_SECRET: proof, OTEL_TRACES_SAMPLER: sampler };
    const headers = { ...traceparent(flags), ...(isProved && { "x-gateway-proof": proof }) };
    const traces = await tracesOf("graphql", environment, "/v1/graphql?query={__typename}", headers);
    expect(traces).toEqual(expected === "a span" ? [clientsTraceId, clientsTraceId] : []);
  },
);

/** The spans of requests to a program with the roles `graphql` and `platform`. */
async function spansOf(send: (url: URL) => Promise<unknown>, environment: NodeJS.ProcessEnv = {}) {
  const { url, spans, text } = await receiver();
  const program = await runReady([], { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...environment });
  await send(program.url);
  await program.stop("SIGTERM");
  return { spans: spans(), text: text() };
}

const plain = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Of each server span: `http.request.method`, `url.path` and `url.scheme`; of each client span, also the server and the URL. */
const required: Readonly<Record<number, readonly string[]>> = {
  [server]: ["http.request.method", "url.path", "url.scheme"],
  [client]: ["http.request.method", "server.address", "server.port", "url.full"],
};
const names: Readonly<Record<number, RegExp>> = {
  [server]: /^(?:(?:GET|POST|PUT|HTTP) \/v1\/[\w/*]+|query|mutation)$/,
  [client]: /^(?:GET|POST) \/v1\/[\w/{}]+$/,
};
/** What the conventions define, and may be on a span of this service. Any other attribute has the prefix `restbound.`. */
const conventional = [
  "error.type",
  "http.request.method",
  "http.request.method_original",
  "http.request.resend_count",
  "http.response.status_code",
  "http.route",
  "server.address",
  "server.port",
  "url.full",
  "url.path",
  "url.query",
  "url.scheme",
  "url.template",
  "graphql.document",
  "graphql.operation.name",
  "graphql.operation.type",
];

test("names and attributes of all spans are those of the semantic conventions", async () => {
  const { spans, text } = await spansOf(async (base) => {
    const headers = { "x-api-key": key };
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(new URL(path, base), { ...init, headers: { ...headers, ...init.headers } }).then((one) =>
        one.text(),
      );
    const secret = "?query={me{id}}&operationName=&alone&=a-secret";
    await ask(`/v1/graphql${secret}`);
    await ask("/v1/identity/me?of=a-secret");
    const body = JSON.stringify({
      query: 'mutation { sendMessage(channel: "email", to: "a@example.com", body: "b") { id } }',
    });
    await ask("/v1/graphql", { method: "POST", body, headers: { "content-type": "application/json" } });
    await ask("/v1/crm/contacts/none");
    await ask("/v1/identity/me", { method: "PUT" });
  });
  expect(text).not.toContain("a-secret");
  const own = (name: string): boolean => name.startsWith("restbound.") || conventional.includes(name);
  for (const span of spans) {
    const attributes = plain(span);
    expect(span.name).toMatch(names[span.kind] as RegExp);
    expect(Object.keys(attributes).filter((name) => !own(name))).toEqual([]);
    const { "graphql.operation.type": type, "http.route": route, "http.request.method": method } = attributes;
    if (type !== undefined) expect(span).toMatchObject({ name: type, kind: server });
    else
      expect(attributes).toMatchObject(
        Object.fromEntries((required[span.kind] ?? []).map((name) => [name, expect.anything()])),
      );
    if (type === undefined && span.kind === server) expect(span.name).toBe(`${method} ${route}`);
    // a 4xx is no error of a server span (HTTP spans, "Status")
    const status = Number(attributes["http.response.status_code"] ?? 200);
    if (span.kind === server && type === undefined) expect(span.status.code === 2).toBe(status >= 500);
    if (status >= (span.kind === server ? 500 : 400))
      expect(attributes["error.type"]).toEqual(expect.any(String));
  }
  const types = spans
    .map((span) => plain(span)["graphql.operation.type"])
    .filter((type) => type !== undefined);
  expect(types.sort()).toEqual(["mutation", "query"]);
  const queries = spans.flatMap((span) => plain(span)["url.query"] ?? []);
  expect(new Set(queries)).toEqual(
    new Set(["query=REDACTED&operationName=REDACTED&REDACTED&=REDACTED", "of=REDACTED"]),
  );
});

test("each operation of a batch has a span", async () => {
  const { spans } = await spansOf(
    async (base) => {
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const body = JSON.stringify([{ query: "{ me { id } }" }, { query: "{ contacts { id } }" }]);
      await (await fetch(new URL("/v1/graphql", base), { method: "POST", headers, body })).text();
    },
    { MAX_OPERATIONS: "2" },
  );
  const [request] = spans.filter((span) => plain(span)["restbound.role"] === "graphql");
  const operations = spans.filter(({ name }) => name === "query");
  expect(operations.map(({ parentSpanId }) => parentSpanId)).toEqual([request?.spanId, request?.spanId]);
  expect(spans.filter(({ kind }) => kind === client)).toHaveLength(2);
});

test("a collector that is down fails no request and is logged", async () => {
  const program = await runReady(["gateway", "platform"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "300",
  });
  expect((await get(program.url, "/v1/identity/me", key)).status).toBe(200);
  await vi.waitFor(() => expect(program.output()).toMatch(/"msg":"OTEL_EXPORTER_OTLP_ENDPOINT: /), {
    timeout: 30_000,
  });
  expect((await get(program.url, "/v1/identity/me", key)).status).toBe(200);
  await program.stop("SIGTERM");
  expect(program.child.exitCode).toBe(0);
});

test("a collector that is down is one line and a count, and so is its return", async () => {
  const port = await freePort();
  const program = await runReady([], {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: "100" },
    OTEL_EXPORTER_OTLP_TIMEOUT: "500", // so long the exporter tries again
    METRICS_PORT: "0",
  });
  const lines = (): string[] => program.output().match(/"msg":"(?:OpenTelemetry|OTEL[^"]*)"/g) ?? [];
  const metrics = /metrics: (\S+)/.exec(program.output())?.[1] ?? "";
  const lost = async () =>
    Number(/traces_spans_total\{outcome="lost"\} (\d+)/.exec(await (await fetch(metrics)).text())?.[1] ?? 0);
  await query(program.url, "{ me { id } }", key);
  await program.prints(
    /"cause":"ECONNREFUSED","msg":"OTEL_EXPORTER_OTLP_ENDPOINT: the collector does not accept spans/,
  );
  const before = await lost();
  await query(program.url, "{ me { id } }", key);
  await expect.poll(lost).toBeGreaterThan(before);
  expect(lines()).toHaveLength(1);
  await receiver(port);
  await query(program.url, "{ me { id } }", key);
  await program.prints(/the collector accepts spans again/);
  expect(lines()).toHaveLength(2);
});
