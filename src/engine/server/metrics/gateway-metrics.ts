/** The gateway's checks of API keys, what its rate limits leave, and what it shares with other gateways. */
import type { FastifyInstance } from "fastify";
import type { Observer } from "../../runtime/observe/observer.ts";
import { labels, type MetricFamilies } from "./metric-families.ts";

/** The parts of a rate limit that a request leaves. */
const parts = [0, 0.1, 0.25, 0.5, 0.75, 1];

export function measureGateway(families: MetricFamilies, { keys, shared }: FastifyInstance): Observer {
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
