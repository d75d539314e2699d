/** The gateway's checks of API keys, what its rate limits leave, and whether it shares their counts. */
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { Observer } from "../../observe/observer.ts";
import { addMetric, histograms } from "./families.ts";

/** The parts of a rate limit that a request leaves. */
const parts = [0, 0.1, 0.25, 0.5, 0.75, 1];

export function measureGateway(
  registry: Registry,
  { keyChecks: checks, sharesCounts }: FastifyInstance,
): Observer {
  const left = histograms(
    registry,
    "gateway_rate_limit_left_ratio",
    "The part of its key's or address's rate limit that each request left: 0 is none.",
    (bound: string) => ({ bound }),
    parts,
  );
  if (sharesCounts)
    addMetric(registry, "gauge", "gateway_redis_up", "1: REDIS_URL counts for all gateways.", () => [
      { labels: {}, value: sharesCounts() ? 1 : 0 },
    ]);
  addMetric(
    registry,
    "counter",
    "gateway_key_checks_total",
    "API keys that were checked: `hit` is from the cache, `miss` needed or joined a look-up.",
    () => [
      { labels: { cache: "hit" }, value: checks.hits },
      { labels: { cache: "miss" }, value: checks.misses },
    ],
  );
  addMetric(
    registry,
    "counter",
    "gateway_key_look_ups_total",
    "Look-ups at key introspection, by what came of them.",
    () =>
      (["active", "inactive", "failed"] as const).map((outcome) => ({
        labels: { outcome },
        value: checks[outcome],
      })),
  );
  addMetric(
    registry,
    "gauge",
    "gateway_key_look_ups_under_way",
    "Look-ups at key introspection that run or wait.",
    () => [{ labels: {}, value: checks.underWay }],
  );
  return {
    requestEnded({ rateLeft = [] }) {
      for (const { bound, left: part } of rateLeft) left(bound).add(part);
    },
  };
}
