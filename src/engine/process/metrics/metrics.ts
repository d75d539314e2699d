/**
 * `/metrics` on a port of its own, in Prometheus' text format: the requests that each role answers, the saved operations,
 * the REST calls, the state of upstreams and of key checks, and the process. Names follow OpenTelemetry's conventions.
 * Nothing is measured without it.
 */
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Config } from "../../config.ts";
import { createServer } from "../../http/server.ts";
import { type Observer, subscribe } from "../../observe/observer.ts";
import { addMetric, counters } from "./families.ts";
import { measureGateway } from "./gateway.ts";
import { measureOutgoingCalls } from "./outgoing-calls.ts";
import { measureManifests, measureRequests, type Servers } from "./requests.ts";
import { measureRestCalls } from "./rest-calls.ts";

/** Makes the server of `/metrics`; it does not listen yet. Once a process, because channels are the process's. */
export function createMetrics(config: Config, servers: Servers, specHash: string): FastifyInstance {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const gauge of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${gauge}_total`); // a gauge is no total: `promtool` refuses the name
  const built = { labels: { build: config.env.BUILD, spec: specHash }, value: 1 };
  const help = "What this process was built and generated from.";
  addMetric(registry, "gauge", "build_info", help, () => [built]);
  measureOutgoingCalls(registry);
  const ends = [
    subscribe(measureRequests(registry, servers)),
    subscribe(countUnread(registry)),
    subscribe(countSpans(registry)),
  ];
  const [graphql, gateway] = [servers.get("graphql"), servers.get("gateway")];
  if (graphql) {
    countExecutions(registry, graphql);
    measureManifests(registry, graphql.apps);
    ends.push(subscribe(measureRestCalls(registry, graphql.upstreams)));
  }
  if (gateway) ends.push(subscribe(measureGateway(registry, gateway)));
  const server = createServer(config, "metrics", { specHash });
  server.addHook("onClose", async () => {
    for (const end of ends) end();
  });
  server.get("/metrics", async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  return server;
}

function countUnread(registry: Registry): Observer {
  const unread = counters(
    registry,
    "process_unread_rejections_total",
    "Failures that nobody read, by code. Each is a fault of this program; its log line tells where it began.",
    (code: string) => ({ code }),
  );
  return { rejectionUnread: (code) => void unread(code).value++ };
}

function countSpans(registry: Registry): Observer {
  const spans = counters(
    registry,
    "traces_spans_total",
    "Spans that the collector of OTEL_EXPORTER_OTLP_ENDPOINT took (`sent`), or did not take (`lost`).",
    (outcome: "lost" | "sent") => ({ outcome }),
  );
  return {
    spansSent(count, isLost) {
      spans(isLost ? "lost" : "sent").value += count;
    },
  };
}

function countExecutions(registry: Registry, { executions }: FastifyInstance): void {
  addMetric(registry, "counter", "graphql_executions_total", "Operations that ran.", () => [
    { labels: {}, value: executions.count },
  ]);
}
