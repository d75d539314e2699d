/** REST calls by operation and outcome, and the state of each product's upstream. */
import type { Registry } from "prom-client";
import type { Observer } from "../../observe/observer.ts";
import type { CallOutcome, ResponseSource } from "../../observe/records.ts";
import type { Upstreams } from "../../rest/client.ts";
import type { UpstreamState } from "../../rest/upstream/upstream.ts";
import { cachedResponses } from "../../settings/capacity.ts";
import { addMetric, type Count, CounterFamily, DurationFamily, type Durations, known } from "./families.ts";

type Counts = Map<`${ResponseSource} ${CallOutcome}`, Count>;

type OfOperation = {
  readonly duration: Durations;
  /** First tries and retries, by how the response came and by outcome. */
  readonly outcomes: readonly [Counts, Counts];
};

export function measureRestCalls(registry: Registry, upstreams: Upstreams): Observer {
  const duration = new DurationFamily(
    registry,
    "rest_call_duration_seconds",
    "REST calls, each try by itself, from the wait for a connection to the checked value.",
  );
  const calls = new CounterFamily(
    registry,
    "rest_calls_total",
    "REST calls by outcome: OK, the failure's code, CIRCUIT_OPEN (not sent), ABANDONED (the client left); and by source: fetched, or saved because the response was shared, cached or revalidated.",
  );
  const operations = new Map<string, OfOperation>();
  upstreamGauges(registry, upstreams);
  return {
    callEnded({ operation: { id, product }, outcome, source, isRetry, ms }) {
      const operation = known(operations, id, () => ({
        duration: duration.child({ operation: id, product }),
        outcomes: [new Map(), new Map()] as const,
      }));
      if (outcome !== "CIRCUIT_OPEN" && source !== "cached") operation.duration.observe(ms);
      const retry = String(isRetry);
      known(operation.outcomes[isRetry ? 1 : 0], `${source} ${outcome}`, () =>
        calls.child({ operation: id, product, outcome, retry, source }),
      ).value++;
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
