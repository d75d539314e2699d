/** The gateway's checks of API keys. */
import type { Registry } from "prom-client";
import type { KeyChecks } from "../../gateway/key-verifier.ts";
import { addMetric } from "./families.ts";

export function measureKeyChecks(registry: Registry, checks: KeyChecks): void {
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
}
