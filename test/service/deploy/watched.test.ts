/** Every expression of the dashboard and of the alerts, asked of a real Prometheus over a run with faults. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startFaultyRun } from "./faulty-run.ts";
import { panels } from "./panels.ts";
import { hasPrometheus } from "./prometheus.ts";

const { groups } = parse(
  readFileSync(join(import.meta.dirname, "../../../deploy/prometheus/alerts.yaml"), "utf8"),
) as {
  groups: { rules: { alert?: string }[] }[];
};
/** What needs other processes than those of the run, or hours: `alerts.test.yaml` tests them. */
const isOfOtherRuns =
  /^(?:RoleAbsent|RoleRestarted|RoleCrashLoops|NoServerForBalancer|ServerDownForBalancer|EdgeProbeFails|TrafficDropped|ErrorBudgetBurns|SigningKeysOld|KeysFileNotApplied|VendorQuotaExhausted|UsageNotRecorded|SpansLost|MemoryHigh|EventLoopLate|\w+Almost\w+)$/;
const alertNames = groups.flatMap(({ rules }) =>
  rules.flatMap(({ alert }) => (alert === undefined || isOfOtherRuns.test(alert) ? [] : [alert])),
);

/** What is a count of nothing on a good day: it must have been more than 0 in this run. */
const ofFaults = /^(?:Errors|Errors by code and reason|Not ready|Circuit breaker open|Retries)$/;

/** The run has no vendor whose credential the server holds. */
const ofVendors = "Vendors' rate limits: fraction left";

test.skipIf(!hasPrometheus)(
  "no panel is empty, and each alert finds its fault",
  { timeout: 400_000 },
  async () => {
    const run = await startFaultyRun();
    onTestFinished(run.stop);
    await sleep(5_000);
    const early = await run.alerts();
    expect(early.filter(({ alertname }) => /Product|Operation|Shedding|TwoSpecs/.test(alertname))).toEqual(
      [],
    );
    run.breakThings();
    const silent = new Set(alertNames);
    const blamed = new Set<string | undefined>();
    const look = async (): Promise<string[]> => {
      for (const { alertname, product, operation } of await run.alerts()) {
        silent.delete(alertname);
        if (/ProductDown|RestOperationSlow/.test(alertname)) blamed.add(product).add(operation);
      }
      return [...silent];
    };
    await expect.poll(look, { timeout: 180_000, interval: 1_000 }).toEqual([]);
    expect(blamed).toContain("CRM");
    expect(blamed).toContain("getMetrics");
    const empty = async (): Promise<string[]> => {
      const found = panels.map(async ({ row, title, expr }) => {
        const series = await run.range(expr);
        const values = series.flatMap(({ values }) => values.map(([, value]) => Number(value)));
        const isThere = values.some(
          (value) => Number.isFinite(value) && (value > 0 || !ofFaults.test(title)),
        );
        return isThere || title === ofVendors ? [] : [`${row}: ${title}`];
      });
      return (await Promise.all(found)).flat();
    };
    expect(panels.length).toBeGreaterThan(20);
    await expect.poll(empty, { timeout: 60_000, interval: 2_000 }).toEqual([]);
  },
);
