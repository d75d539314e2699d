/**
 * `/metrics` on a port of its own, in Prometheus' text format: the requests that each role answers, the saved operations,
 * the REST calls, the state of upstreams and of key checks, and the process. Names follow OpenTelemetry's conventions.
 * Nothing is measured without it.
 */
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics } from "prom-client";
import { createServer } from "../../runtime/http/server.ts";
import { spanCounts, subscribe } from "../../runtime/observe/observer.ts";
import type { Config } from "../../runtime/settings/config.ts";
import { unhandledFailures } from "../unhandled-rejections.ts";
import { measureLookups, measureOutgoingCalls } from "./connection-metrics.ts";
import { measureGateway } from "./gateway-metrics.ts";
import { MetricFamilies } from "./metric-families.ts";
import { measureManifests, measureRequests, type Servers } from "./request-metrics.ts";
import { measureRestCalls } from "./rest-call-metrics.ts";

/** Makes the server of `/metrics`; it does not listen yet. Once a process, because channels are the process's. */
export function createMetrics(config: Config, servers: Servers, specHash: string): FastifyInstance {
  const families = new MetricFamilies();
  const { registry } = families;
  collectDefaultMetrics({ register: registry });
  for (const gauge of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${gauge}_total`); // a gauge is no total: `promtool` refuses the name
  const built = "What this process was built and generated from.";
  families.add("gauge", "build_info", built, ["build", "spec"], () => [[config.env.BUILD, specHash, 1]]);
  const unread =
    "Failures that nobody read, by code. Each is a fault of this program; its log line tells where it began.";
  families.add("counter", "process_unread_rejections_total", unread, ["code"], () => unhandledFailures);
  const spans =
    "Spans that the collector of OTEL_EXPORTER_OTLP_ENDPOINT took (`sent`), or did not take (`lost`).";
  families.add("counter", "traces_spans_total", spans, ["outcome"], () => spanCounts);
  measureOutgoingCalls(families);
  const ends = [measureLookups(families), subscribe(measureRequests(families, servers))];
  const [graphql, gateway] = [servers.get("graphql"), servers.get("gateway")];
  if (graphql) {
    const { executions, apps, upstreams } = graphql;
    families.add("counter", "graphql_executions_total", "Operations that ran.", [], () => [
      [executions.count],
    ]);
    measureManifests(families, apps);
    ends.push(subscribe(measureRestCalls(families, upstreams)));
  }
  if (gateway) ends.push(subscribe(measureGateway(families, gateway)));
  const server = createServer(config, "metrics", { specHash });
  server.addHook("onClose", async () => {
    for (const end of ends) end();
  });
  server.get("/metrics", async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  return server;
}
