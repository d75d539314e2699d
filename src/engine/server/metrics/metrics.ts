/**
 * Measures requests of each role, saved operations, REST calls, upstreams, key checks and the process. HTTP metrics have the
 * names and labels of OpenTelemetry's semantic conventions, written as Prometheus writes them. `/metrics` serves them on a
 * separate port, and `otlp-metrics.ts` sends them to a collector. If neither is configured, nothing is measured.
 */
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { KeyVerifier } from "../../gateway/key-verifier.ts";
import type { TokenVerifier } from "../../gateway/token-verifier.ts";
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

/** The metrics of a process: `families` contains the metrics of this program, `registry` those of Node and the process. */
export type Measured = {
  readonly families: MetricFamilies;
  readonly registry: Registry;
  readonly end: () => void;
};

/** Starts measuring. Must be called only once per process, because diagnostics channels are global. */
export function measure(config: Config, servers: Servers, specHash: string): Measured {
  const families = new MetricFamilies();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const gauge of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${gauge}_total`); // `promtool` rejects a gauge named `_total`
  const built =
    "Always 1. `build`: the build of this process; `spec`: the hash of the spec that `generated/` was made from.";
  families.observableGauge("build_info", built, ["build", "spec"], () => [[config.env.BUILD, specHash, 1]]);
  const unhandled =
    "Rejected promises without a handler, by error code. Each is a bug in this program that the process survived; the log has its stack.";
  families.observableCounter(
    "process_unhandled_rejections_total",
    unhandled,
    ["code"],
    () => unhandledFailures,
  );
  const spans =
    "Spans that the collector at OTEL_EXPORTER_OTLP_ENDPOINT accepted (`sent`) or did not accept (`lost`).";
  families.observableCounter("traces_spans_total", spans, ["outcome"], () => spanCounts);
  measureOutgoingCalls(families);
  const ends = [measureLookups(families), subscribe(measureRequests(families, servers))];
  const graphql = servers.get("graphql");
  const gateway = servers.get("gateway");
  if (graphql) {
    const { executions, apps, upstreams, usage } = graphql;
    families.observableCounter(
      "graphql_executions_total",
      "Operations that were executed. Operations refused before execution are not counted.",
      [],
      () => [[executions.count]],
    );
    measureManifests(families, apps);
    const failing =
      "1: the last write to `USAGE_DIR` failed. Usage is kept in memory until a write succeeds.";
    if (usage)
      families.observableGauge("graphql_usage_failing", failing, [], () => [[Number(usage.isFailing)]]);
    ends.push(subscribe(measureRestCalls(families, upstreams)));
  }
  if (gateway) ends.push(subscribe(measureGateway(families, gateway)));
  return {
    families,
    registry,
    end: () => {
      for (const end of ends) end();
    },
  };
}

/** Creates the server of `/metrics`, which does not listen yet. Closing it stops the measurements. */
export function createMetricsServer(
  config: Config,
  { families, registry, end }: Measured,
  specHash: string,
): FastifyInstance {
  const server = createServer(config, "metrics", { specHash });
  server.addHook("onClose", async () => end());
  server.get("/metrics", async (_request, reply) =>
    reply.type(registry.contentType).send((await families.text()) + (await registry.metrics())),
  );
  return server;
}

// Measures the gateway: checks of API keys, remaining rate limits, and the state that it shares with other gateways.

/** The bucket bounds of a histogram: the unused fraction of a rate limit. */
const parts = [0, 0.1, 0.25, 0.5, 0.75, 1];

function measureGateway(
  families: MetricFamilies,
  { keys, keyFile, tokens, shared }: FastifyInstance,
): Observer {
  const remaining = families.histograms(
    "gateway_rate_limit_remaining_ratio",
    'The remaining fraction of each rate limit (`key_rate`, `address_rate`, …) after each request that it counted. Requests in the bucket `le="0.1"` come from callers that are close to a 429.',
    labels("limit"),
    parts,
  );
  if (shared) measureShared(families, shared);
  if (tokens) measureTokens(families, tokens);
  if (keys) measureKeys(families, keys);
  const failing =
    "1: `KEYS_FILE` is invalid or cannot be read. Its last valid content applies, and deleting lines revokes nothing.";
  if (keyFile)
    families.observableGauge("gateway_keys_file_failing", failing, [], () => [[Number(keyFile.isFailing)]]);
  return {
    requestEnded({ rateLeft = [] }) {
      for (const { bound, left } of rateLeft) remaining(bound).add(left);
    },
  };
}

function measureKeys(families: MetricFamilies, keys: KeyVerifier): void {
  const checked = "Checks of API keys: `hit` used the cache, `miss` started or joined a lookup.";
  families.observableCounter("gateway_key_checks_total", checked, ["cache"], () => [
    ["hit", keys.counts.hits],
    ["miss", keys.counts.misses],
  ]);
  const lookedUp = "Lookups at key introspection by outcome: `active`, `inactive` or `failed`.";
  families.observableCounter("gateway_key_lookups_total", lookedUp, ["outcome"], () =>
    (["active", "inactive", "failed"] as const).map((outcome) => [outcome, keys.counts[outcome]]),
  );
  const inFlight = "Lookups at key introspection that are running or waiting.";
  families.observableGauge("gateway_key_lookups_in_flight", inFlight, [], () => [[keys.inFlight]]);
}

function measureTokens(families: MetricFamilies, { counts, keys }: TokenVerifier): void {
  const checks =
    "Access tokens of `TOKEN_ISSUER` by outcome: `accepted`, `refused`, `unconfirmed` (looked up at key introspection, because its revocation may have been missed) or `failed` (no signing keys).";
  families.observableCounter("gateway_token_checks_total", checks, ["outcome"], () =>
    (["accepted", "refused", "unconfirmed", "failed"] as const).map((outcome) => [outcome, counts[outcome]]),
  );
  const failures = "Reads of the issuer's signing keys (`TOKEN_JWKS`) that failed.";
  families.observableCounter("gateway_signing_key_failures_total", failures, [], () => [[keys.failures]]);
  const age =
    "Seconds since the issuer's signing keys were last read. From 3600 on, access tokens are refused.";
  families.observableGauge("gateway_signing_keys_age_seconds", age, [], () => [[keys.ageSeconds]]);
}

function measureShared(
  families: MetricFamilies,
  { rates, revocations }: NonNullable<FastifyInstance["shared"]>,
): void {
  const gauge = (name: string, help: string, value: () => number): void =>
    families.observableGauge(name, help, [], () => [[value()]]);
  gauge(
    "gateway_redis_up",
    "1: the gateways count rate limits together in REDIS_URL. It stays 0 for a minute after Redis has refused a count.",
    () => Number(rates.isUp()),
  );
  gauge(
    "gateway_revocation_log_current",
    "1: no cached key depends on revocations that this gateway may have missed.",
    () => Number(revocations.isCurrent),
  );
  gauge(
    "gateway_revocation_log_lag_seconds",
    "Seconds since the log of revoked keys was last read completely.",
    () => revocations.lagMs / 1_000,
  );
  const gaps =
    "How often entries of the log of revoked keys may have been lost: it was trimmed or emptied, its server changed, or an entry has no known field.";
  families.observableCounter("gateway_revocation_log_gaps_total", gaps, [], () => [
    [revocations.counts.gaps],
  ]);
  const revoked = "Revoked keys read from the log.";
  families.observableCounter("gateway_revocations_total", revoked, [], () => [
    [revocations.counts.revocations],
  ]);
}

/** Measures REST calls by operation and outcome, and the state of each product's upstream. */
function measureRestCalls(families: MetricFamilies, upstreams: Upstreams): Observer {
  const duration = families.histograms(
    "rest_call_duration_seconds",
    "Time of each attempt of a REST call, from the wait for a connection to the checked value.",
    labels("operation", "product"),
  );
  const calls = families.counters(
    "rest_calls_total",
    "REST calls by outcome (`OK`, the code of the failure, `CIRCUIT_OPEN`: not sent, `QUOTA_EXHAUSTED`: not sent because of the vendor's rate limit, `ABANDONED`: the client left) and by source (`fetched`, `shared`, `cached`, `revalidated`).",
    labels("operation", "product", "outcome", "retry", "source"),
  );
  const gauge = (name: string, help: string, read: (state: Upstream["state"]) => number): void =>
    families.observableGauge(name, help, ["product"], () =>
      [...upstreams].map(([product, { state }]) => [product, read(state)]),
    );
  const isOpen = "1: the circuit breaker of the product is open and lets only trial calls pass.";
  gauge("rest_circuit_breaker_open", isOpen, (state) => Number(state.isOpen));
  gauge(
    "rest_calls_in_flight",
    "REST calls in flight, including those that wait for a connection.",
    (state) => state.inFlight,
  );
  gauge("rest_calls_queued", "REST calls that wait for a connection.", (state) => state.queued);
  gauge("rest_connections", "Open connections to the product's REST service.", (state) => state.connections);
  const most = "Maximum number of connections to the product's REST service.";
  gauge("rest_connections_limit", most, (state) => state.mostConnections);
  const left =
    "The fraction that is left of the vendor's rate limit, where the server holds the vendor's credential; the smallest of its limits and credentials. 1: all, or no limit is known.";
  families.observableGauge("rest_vendor_quota_remaining", left, ["product"], () =>
    [...upstreams].flatMap(([product, { state }]) =>
      state.quotaLeft === undefined ? [] : [[product, state.quotaLeft]],
    ),
  );
  const bytes = "Bytes of cached REST responses and GraphQL responses.";
  families.observableGauge("rest_cache_bytes", bytes, [], () => [[upstreams.cache.bytes]]);
  const mostBytes = "Maximum bytes of cached REST responses and GraphQL responses.";
  families.observableGauge("rest_cache_bytes_limit", mostBytes, [], () => [[cachedResponses.bytes]]);
  return {
    callEnded({ operation: { id, product }, outcome, source, isRetry, ms }) {
      if (outcome !== "CIRCUIT_OPEN" && outcome !== "QUOTA_EXHAUSTED" && source !== "cached")
        duration(id, product).add(ms / 1_000);
      calls(id, product, outcome, isRetry, source).value++;
    },
  };
}
