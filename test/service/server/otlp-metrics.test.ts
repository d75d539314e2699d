/** The metrics of a process as an OTLP receiver gets them, and as `/metrics` has them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { ConfigError, readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { start } from "../../../src/engine/server/program.ts";
import { service } from "../../../src/main.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { query } from "./program.ts";

const { key } = demoKeys[0] as (typeof demoKeys)[number];

type Attributes = { key: string; value: Record<string, string | number> }[];
type Point = {
  readonly attributes: Attributes;
  readonly asDouble?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: number[];
  readonly explicitBounds?: number[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
};
type Points = {
  readonly dataPoints: Point[];
  readonly isMonotonic?: boolean;
  readonly aggregationTemporality?: number;
};
type Metric = { readonly name: string; readonly unit: string } & Partial<
  Record<"sum" | "gauge" | "histogram", Points>
>;

/** An OTLP/HTTP receiver of JSON. */
async function receiver() {
  const exports: { url: string | undefined; resource: Attributes; metrics: Metric[] }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
    for (const { resource, scopeMetrics } of JSON.parse(text).resourceMetrics)
      exports.push({
        url: request.url,
        resource: resource.attributes,
        metrics: scopeMetrics.flatMap(({ metrics }: { metrics: Metric[] }) => metrics),
      });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exports };
}

const plain = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("a collector gets every metric of /metrics, those of the conventions by their names", async () => {
  const { url, exports } = await receiver();
  // the exporter reads its variables itself
  process.env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT = `${url}/collect`;
  onTestFinished(() => void delete process.env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT);
  const environment = {
    ...{ PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "silent", BUILD: "abc123" },
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/collect`,
  };
  const running = await start(readConfig(environment, []), service);
  await query(running.url, "{ me { id } }", key);
  const text = await (await fetch(new URL("/metrics", running.metrics))).text();
  for (const server of running.servers) await server.close();
  await running.end(); // sends once more
  const [{ url: path, resource, metrics } = { url: "", resource: [], metrics: [] }] = exports;
  expect(path).toBe("/collect");
  expect(plain(resource)).toMatchObject({ "service.name": service.name, "service.version": "abc123" });
  const names = metrics.map(({ name, unit }) => {
    const named = name.replaceAll(".", "_");
    return unit === "s" && !/_seconds(?:_total)?$/.test(named) ? `${named}_seconds` : named;
  });
  // a metric without a value yet is in /metrics alone
  const withValues = [...text.matchAll(/^# TYPE (\w+) \w+\n(?!#|$)/gm)].map(([, name]) => name);
  // V8 may collect garbage for the first time between the two
  const isSure = (name = ""): boolean => name !== "nodejs_gc_duration_seconds";
  expect(names.filter(isSure).sort()).toEqual(withValues.filter(isSure).sort());

  const [requests] = metrics.filter(({ name }) => name === "http.server.request.duration");
  expect(requests).toMatchObject({ unit: "s", histogram: { aggregationTemporality: 2 } });
  const points = requests?.histogram?.dataPoints ?? [];
  const point = points.find(({ attributes }) => plain(attributes).role === "graphql");
  expect(plain(point?.attributes ?? [])).toEqual({
    role: "graphql",
    "http.request.method": "POST",
    "url.scheme": "http",
    "http.route": "/v1/graphql",
    "http.response.status_code": 200,
  });
  expect(point).toMatchObject({ count: 1, sum: expect.any(Number) });
  const { bucketCounts = [], explicitBounds = [], startTimeUnixNano, timeUnixNano } = point ?? ({} as Point);
  expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
  expect(bucketCounts.reduce((sum, one) => sum + one, 0)).toBe(1);
  expect(BigInt(timeUnixNano)).toBeGreaterThan(BigInt(startTimeUnixNano));

  const metric = (name: string) => metrics.find((one) => one.name === name);
  expect(metric("rest_calls_total")?.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 });
  expect(metric("ready")?.gauge?.dataPoints).toHaveLength(3);
  expect(metric("process_cpu_seconds_total")).toMatchObject({ unit: "s", sum: { isMonotonic: true } });
  // of prom-client, whose buckets are cumulative
  const garbage = metric("nodejs_gc_duration_seconds")?.histogram?.dataPoints ?? [];
  for (const { count, bucketCounts: all = [] } of garbage)
    expect(all.reduce((sum, one) => sum + one, 0)).toBe(count);
});

const metricsOf = (environment: NodeJS.ProcessEnv) => readConfig(environment, []).metrics;
const base = "http://collector:4318";

test("only variables of metrics send them, and a general endpoint alone does not", () => {
  expect(metricsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: base })).toBeUndefined();
  expect(
    metricsOf({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: base, OTEL_METRICS_EXPORTER: "none" }),
  ).toBeUndefined();
  expect(metricsOf({ OTEL_METRICS_EXPORTER: "otlp", OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  expect(metricsOf({ OTEL_METRICS_EXPORTER: "otlp", OTEL_METRIC_EXPORT_INTERVAL: "5000" })).toMatchObject({
    intervalMs: 5_000,
    timeoutMs: 5_000, // no more than the interval
  });
});

test.each([
  [{ OTEL_METRICS_EXPORTER: "prometheus" }, "OTEL_METRICS_EXPORTER: must be otlp or none"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/v1/metrics` }, "/v1/metrics is appended"],
  [{ OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL: must be http/json"],
  [{ OTEL_METRIC_EXPORT_INTERVAL: "soon" }, "OTEL_METRIC_EXPORT_INTERVAL: must be milliseconds"],
  [
    { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta" },
    "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: must be cumulative",
  ],
])("%j is refused", (environment, line) => {
  const given = { OTEL_METRICS_EXPORTER: "otlp", ...environment };
  expect(() => metricsOf(given)).toThrow(ConfigError);
  expect(() => metricsOf(given)).toThrow(line);
});
