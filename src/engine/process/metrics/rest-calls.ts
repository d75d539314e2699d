/** REST calls by operation and outcome, and the state of each product's upstream. */
import type { Registry } from "prom-client";
import type { Observer } from "../../observe/observer.ts";
import type { CallOutcome, ResponseSource } from "../../observe/records.ts";
import type { Upstreams } from "../../rest/client.ts";
import type { UpstreamState } from "../../rest/upstream/upstream.ts";
import { cachedResponses } from "../../settings/capacity.ts";
import { addMetric, counters, histograms } from "./families.ts";

export function measureRestCalls(registry: Registry, upstreams: Upstreams): Observer {
  const duration = histograms(
    registry,
    "rest_call_duration_seconds",
    "REST calls, each try by itself, from the wait for a connection to the checked value.",
    (operation: string, product: string) => ({ operation, product }),
  );
  const calls = counters(
    registry,
    "rest_calls_total",
    "REST calls by outcome: OK, the failure's code, CIRCUIT_OPEN (not sent), ABANDONED (the client left); and by source: fetched, or saved because the response was shared, cached or revalidated.",
    (operation: string, product: string, outcome: CallOutcome, isRetry: boolean, source: ResponseSource) => ({
      operation,
      product,
      outcome,
      retry: String(isRetry),
      source,
    }),
  );
  upstreamGauges(registry, upstreams);
  return {
    callEnded({ operation: { id, product }, outcome, source, isRetry, ms }) {
      if (outcome !== "CIRCUIT_OPEN" && source !== "cached") duration(id, product).add(ms / 1_000);
      calls(id, product, outcome, isRetry, source).value++;
    },
  };
}

function upstreamGauges(registry: Registry, upstreams: Upstreams): void {
  const gauge = (name: string, help: string, read: (state: UpstreamState) => number): void =>
    addMetric(registry, "gauge", name, help, () =>
      [...upstreams].map(([product, { state }]) => ({ labels: { product }, value: read(state) })),
    );
  gauge(
    "rest_circuit_open",
    "1: the circuit breaker refuses calls, but for a trial now and then.",
    (state) => (state.isOpen ? 1 : 0),
  );
  gauge("rest_calls_under_way", "REST calls that wait or are on a connection.", (state) => state.underWay);
  gauge("rest_calls_waiting", "REST calls that wait for a connection.", (state) => state.waiting);
  gauge("rest_connections", "Open connections to the product's REST service.", (state) => state.connections);
  gauge(
    "rest_connections_limit",
    "Connections that the product's calls may have.",
    (state) => state.mostConnections,
  );
  const bytes = "Bytes of REST's responses and of answers that are kept.";
  addMetric(registry, "gauge", "rest_cache_bytes", bytes, () => [
    { labels: {}, value: upstreams.cache.bytes },
  ]);
  const most = "Bytes of REST's responses and of answers that may be kept.";
  addMetric(registry, "gauge", "rest_cache_bytes_limit", most, () => [
    { labels: {}, value: cachedResponses.bytes },
  ]);
}
