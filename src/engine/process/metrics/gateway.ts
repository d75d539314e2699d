/** The gateway's checks of API keys, what its rate limits leave, and whether it shares their counts. */
import type { FastifyInstance } from "fastify";
import type { Observer } from "../../observe/observer.ts";
import { type Families, labels } from "./families.ts";

/** The parts of a rate limit that a request leaves. */
const parts = [0, 0.1, 0.25, 0.5, 0.75, 1];

export function measureGateway(families: Families, { keys, sharedEngine }: FastifyInstance): Observer {
  const left = families.histograms(
    "gateway_rate_limit_left_ratio",
    "The part of its key's or address's rate limit that each request left: 0 is none.",
    labels("bound"),
    parts,
  );
  if (sharedEngine)
    families.add("gauge", "gateway_redis_up", "1: REDIS_URL counts for all gateways.", [], () => [
      [Number(sharedEngine.isUp())],
    ]);
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
