/** REST calls by operation and outcome, and the state of each product's upstream. */
import type { Observer } from "../../runtime/observe/observer.ts";
import type { Upstreams } from "../../runtime/rest/client.ts";
import type { Upstream } from "../../runtime/rest/upstream/upstream.ts";
import { cachedResponses } from "../../runtime/settings/capacity.ts";
import { labels, type MetricFamilies } from "./metric-families.ts";

export function measureRestCalls(families: MetricFamilies, upstreams: Upstreams): Observer {
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
