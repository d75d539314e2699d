/** The gateway's checks of API keys. */
import { Counter, Gauge, type Registry } from "prom-client";
import type { KeyChecks } from "../../gateway/key-verifier.ts";

export function measureKeyChecks(registry: Registry, checks: KeyChecks): void {
  const registers = [registry];
  new Counter({
    name: "gateway_key_checks_total",
    help: "API keys that were checked: `hit` is from the cache, `miss` needed or joined a look-up.",
    labelNames: ["cache"],
    registers,
    collect() {
      this.reset();
      this.inc({ cache: "hit" }, checks.hits);
      this.inc({ cache: "miss" }, checks.misses);
    },
  });
  new Counter({
    name: "gateway_key_look_ups_total",
    help: "Look-ups at key introspection, by what came of them.",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset();
      for (const outcome of ["active", "inactive", "failed"] as const) this.inc({ outcome }, checks[outcome]);
    },
  });
  new Gauge({
    name: "gateway_key_look_ups_under_way",
    help: "Look-ups at key introspection that run or wait.",
    registers,
    collect() {
      this.set(checks.underWay);
    },
  });
}
