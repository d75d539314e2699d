/**
 * `/metrics` on a port of its own, in Prometheus' text format: the requests that each role answers, the saved operations,
 * the REST calls, the state of upstreams and of key checks, and the process. Names follow OpenTelemetry's conventions.
 * Nothing is measured without it.
 */
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics } from "prom-client";
import { createServer } from "../../runtime/http/server.ts";
import { type Observer, spanCounts, subscribe } from "../../runtime/observe/observer.ts";
import type { Upstreams } from "../../runtime/rest/client.ts";
import type { Upstream } from "../../runtime/rest/upstream/upstream.ts";
import { cachedResponses } from "../../runtime/settings/capacity.ts";
import type { Config } from "../../runtime/settings/config.ts";
import { unhandledFailures } from "../unhandled-rejections.ts";
import { measureLookups, measureOutgoingCalls } from "./connection-metrics.ts";
import { labels, MetricFamilies } from "./metric-families.ts";
import { measureManifests, measureRequests, type Servers } from "./request-metrics.ts";

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
  const graphql = servers.get("graphql");
  const gateway = servers.get("gateway");
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

// The gateway's checks of API keys, what its rate limits leave, and what it shares with other gateways.

/** The parts of a rate limit that a request leaves. */
const parts = [0, 0.1, 0.25, 0.5, 0.75, 1];

function measureGateway(families: MetricFamilies, { keys, shared }: FastifyInstance): Observer {
  const left = families.histograms(
    "gateway_rate_limit_left_ratio",
    "The part of its key's or address's rate limit that each request left: 0 is none.",
    labels("bound"),
    parts,
  );
  if (shared) measureShared(families, shared);
  const checked = "API keys that were checked: `hit` is from the cache, `miss` needed or joined a look-up.";
  families.add("counter", "gateway_key_checks_total", checked, ["cache"], () => [
    ["hit", keys.counts.hits],
    ["miss", keys.counts.misses],
  ]);
  const lookedUp = "Look-ups at key introspection, by what came of them.";
  families.add("counter", "gateway_key_look_ups_total", lookedUp, ["outcome"], () =>
    (["active", "inactive", "failed"] as const).map((outcome) => [outcome, keys.counts[outcome]]),
  );
  const underWay = "Look-ups at key introspection that run or wait.";
  families.add("gauge", "gateway_key_look_ups_under_way", underWay, [], () => [[keys.underWay]]);
  return {
    requestEnded({ rateLeft = [] }) {
      for (const { bound, left: part } of rateLeft) left(bound).add(part);
    },
  };
}

function measureShared(
  families: MetricFamilies,
  { rates, revocations }: NonNullable<FastifyInstance["shared"]>,
): void {
  const gauge = (name: string, help: string, value: () => number): void =>
    families.add("gauge", name, help, [], () => [[value()]]);
  gauge("gateway_redis_up", "1: REDIS_URL counts for all gateways.", () => Number(rates.isUp()));
  gauge(
    "gateway_revocation_log_current",
    "1: all cached keys are known not to be revoked, up to a few seconds ago.",
    () => Number(revocations.isCurrent),
  );
  gauge(
    "gateway_revocation_log_lag_seconds",
    "Seconds since the log of revoked keys was last read completely.",
    () => revocations.lagMs / 1_000,
  );
  const gaps =
    "How often revoked keys may have been lost: the log was trimmed, emptied, or its server changed.";
  families.add("counter", "gateway_revocation_log_gaps_total", gaps, [], () => [[revocations.counts.gaps]]);
  const revoked = "Revoked keys that were read in the log.";
  families.add("counter", "gateway_revocations_total", revoked, [], () => [[revocations.counts.revocations]]);
}

/** REST calls by operation and outcome, and the state of each product's upstream. */
function measureRestCalls(families: MetricFamilies, upstreams: Upstreams): Observer {
  const duration = families.histograms(
    "rest_call_duration_seconds",
    "REST calls, each try by itself, from the wait for a connection to the checked value.",
    labels("operation", "product"),
  );
  const calls = families.counters(
    "rest_calls_total",
    "REST calls by outcome: OK, the failure's code, CIRCUIT_OPEN (not sent), ABANDONED (the client left); and by source: fetched, or saved because the response was shared, cached or revalidated.",
    labels("operation", "product", "outcome", "retry", "source"),
  );
  const gauge = (name: string, help: string, read: (state: Upstream["state"]) => number): void =>
    families.add("gauge", name, help, ["product"], () =>
      [...upstreams].map(([product, { state }]) => [product, read(state)]),
    );
  const isOpen = "1: the circuit breaker refuses calls, but for a trial now and then.";
  gauge("rest_circuit_open", isOpen, (state) => Number(state.isOpen));
  gauge("rest_calls_under_way", "REST calls that wait or are on a connection.", (state) => state.underWay);
  gauge("rest_calls_waiting", "REST calls that wait for a connection.", (state) => state.waiting);
  gauge("rest_connections", "Open connections to the product's REST service.", (state) => state.connections);
  const most = "Connections that the product's calls may have.";
  gauge("rest_connections_limit", most, (state) => state.mostConnections);
  const bytes = "Bytes of REST's responses and of answers that are kept.";
  families.add("gauge", "rest_cache_bytes", bytes, [], () => [[upstreams.cache.bytes]]);
  const mostBytes = "Bytes of REST's responses and of answers that may be kept.";
  families.add("gauge", "rest_cache_bytes_limit", mostBytes, [], () => [[cachedResponses.bytes]]);
  return {
    callEnded({ operation: { id, product }, outcome, source, isRetry, ms }) {
      if (outcome !== "CIRCUIT_OPEN" && source !== "cached") duration(id, product).add(ms / 1_000);
      calls(id, product, outcome, isRetry, source).value++;
    },
  };
}
