/**
 * Exports the metrics of `/metrics` by OTLP over HTTP. Metrics defined by OpenTelemetry's semantic conventions get the names and
 * attributes defined there. A collector that translates names for Prometheus restores the names of `/metrics`, so that the alerts
 * and the dashboard still apply. This module is loaded only if the standard `OTEL_…` variables enable it.
 */
import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { FastifyBaseLogger } from "fastify";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from "prom-client";
import { agentOptions, logDiagnostics, resourceOf, withWarnings } from "../../runtime/observe/otlp.ts";
import type { MetricSettings } from "../../runtime/settings/config.ts";
import type { Snapshot, SnapshotPoint } from "./metric-families.ts";
import type { Measured } from "./metrics.ts";

/** Sends the metrics at intervals. Returns a function that sends them once more and then stops. */
export function sendMetrics(
  { families, registry }: Measured,
  settings: MetricSettings,
  name: string,
  log: FastifyBaseLogger,
): () => Promise<void> {
  const warn = logDiagnostics(log);
  const resource = resourceOf(name, settings);
  const startTime = hrTime(Date.now() - performance.now());
  const producer: MetricProducer = {
    async collect() {
      const ofNode = (await registry.getMetricsAsJSON()).map(snapshotOf);
      const endTime = hrTime(Date.now());
      const metrics = [...(await families.collect()), ...ofNode].map((snapshot) =>
        metricData(snapshot, startTime, endTime),
      );
      const scopeMetrics = [
        { scope: { name }, metrics: metrics.filter(({ dataPoints }) => dataPoints.length > 0) },
      ];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
  const exporter = new OTLPMetricExporter({ httpAgentOptions: agentOptions(settings) });
  const send = exporter.export.bind(exporter) as (
    batch: ResourceMetrics,
    done: (result: { error?: Error }) => void,
  ) => void;
  exporter.export = withWarnings(send, "metrics", log);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    metricProducers: [producer],
    exportIntervalMillis: settings.intervalMs,
    exportTimeoutMillis: settings.timeoutMs,
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown().catch((error: Error) => warn(error.message));
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1e6)];

/** Maps the Prometheus name of a metric to its name in the semantic conventions (HTTP, DNS). */
const conventional: ReadonlyMap<string, string> = new Map([
  ["http_server_request_duration_seconds", "http.server.request.duration"],
  ["http_client_request_duration_seconds", "http.client.request.duration"],
  ["dns_lookup_duration_seconds", "dns.lookup.duration"],
]);

/** Maps a Prometheus label to the attribute's name in the semantic conventions, which has dots instead of underscores. */
const attributeNames: ReadonlyMap<string, string> = new Map(
  [
    "dns.question.name",
    "error.type",
    "http.request.method",
    "http.response.status_code",
    "http.route",
    "server.address",
    "server.port",
    "url.scheme",
  ].map((name) => [name.replaceAll(".", "_"), name]),
);
const numeric: ReadonlySet<string> = new Set(["http.response.status_code", "server.port"]);

/** Converts labels to attributes. Omits empty labels. */
const attributesOf = (labels: Readonly<Record<string, string>>): Attributes =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([label, value]) => {
      const name = attributeNames.get(label) ?? label;
      return value === "" ? [] : [[name, numeric.has(name) ? Number(value) : value]];
    }),
  );

function metricData({ type, name, help, points }: Snapshot, startTime: HrTime, endTime: HrTime): MetricData {
  const unit = /_seconds(?:_total)?$/.test(name) ? "s" : /_bytes$/.test(name) ? "By" : "";
  const common = {
    descriptor: {
      name: conventional.get(name) ?? name,
      description: help,
      unit,
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const at = <Value>(labels: SnapshotPoint["labels"], value: Value): DataPoint<Value> => ({
    ...{ startTime, endTime, attributes: attributesOf(labels), value },
  });
  const all = [...points];
  if (type === "histogram")
    return {
      ...{ ...common, dataPointType: DataPointType.HISTOGRAM },
      dataPoints: all.flatMap((point) =>
        "buckets" in point ? at(point.labels, histogramOf(point.buckets)) : [],
      ),
    };
  const dataPoints = all.flatMap((point) => ("value" in point ? at(point.labels, point.value) : []));
  return type === "gauge"
    ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

function histogramOf({ bounds, counts, sum }: Buckets): Histogram {
  const all = [...counts];
  const count = all.reduce((total, one) => total + one, 0);
  return { buckets: { boundaries: [...bounds], counts: all }, sum, count };
}

type Buckets = Extract<SnapshotPoint, { buckets: unknown }>["buckets"];
type OfNode = MetricObjectWithValues<MetricValue<string> | MetricValueWithName<string>>;

/** Converts a metric of `prom-client`. Its histogram buckets are cumulative, those of a `Snapshot` are not. */
function snapshotOf({ name, help, type, values }: OfNode): Snapshot {
  const kind = String(type) as Snapshot["type"];
  const textOf = (labels: object) =>
    Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]));
  if (kind !== "histogram")
    return {
      type: kind,
      name,
      help,
      points: values.map(({ labels, value }) => ({ labels: textOf(labels), value })),
    };
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  const points = [...series].map(([labels, all]) => {
    const buckets = all.filter((one) => "metricName" in one && one.metricName === `${name}_bucket`);
    const sum = all.find((one) => "metricName" in one && one.metricName === `${name}_sum`)?.value ?? 0;
    const bounds = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
    const counts = Float64Array.from(buckets, ({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    return { labels: textOf(JSON.parse(labels)), buckets: { bounds, counts, sum } };
  });
  return { type: kind, name, help, points };
}
