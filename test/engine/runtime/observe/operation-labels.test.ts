/** The labels of saved operations in /metrics: bounded, and one app's many operations take no label from another app's. */
import { expect, test } from "vitest";
import { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import { MetricFamilies } from "../../../../src/engine/server/metrics/metric-families.ts";
import { measureRequests } from "../../../../src/engine/server/metrics/request-metrics.ts";

function measured() {
  const families = new MetricFamilies();
  const { requestEnded } = measureRequests(families, new Map());
  const ran = (app: string | undefined, name: string, version?: string): void => {
    const record = new RequestRecord(
      { role: "graphql", log: {} as never },
      { id: "", method: "POST", route: "/v1/graphql", address: "" },
    );
    record.operation = { app, name, id: name };
    if (app !== undefined && version !== undefined) {
      record.app = app;
      record.client = { name: app, version };
    }
    requestEnded?.(record);
  };
  /** The series of a metric, without its name. */
  const series = async (metric: string): Promise<string[]> =>
    (await families.text())
      .split("\n")
      .flatMap((line) => (line.startsWith(`${metric}{`) ? [line.slice(metric.length)] : []));
  return { ran, series };
}

test("an app has at most 75 operations with a histogram at once, and another app's have theirs", async () => {
  const { ran, series } = measured();
  for (let number = 0; number < 2_000; number++) ran("aaa", `Q${number}`);
  ran("web", "Inbox");
  ran(undefined, "StartPage");
  const counted = await series("graphql_operation_duration_seconds_count");
  expect(counted.filter((line) => line.includes('operation="aaa/'))).toHaveLength(75);
  for (const [name, count] of [
    ["other", 1_925] as const,
    ["web/Inbox", 1] as const,
    ["StartPage", 1] as const,
  ])
    expect(counted).toContain(`{operation="${name}"} ${count}`);
  const runs = await series("graphql_client_operations_total");
  expect(runs.filter((line) => line.includes('operation="aaa/'))).toHaveLength(500);
  expect(runs).toContain('{app="aaa",version="",operation="other"} 1500');
});

test("an operation that runs 100 times has a histogram from then on", async () => {
  const { ran, series } = measured();
  for (let number = 0; number < 200; number++) ran("web", `Q${number}`);
  for (let times = 0; times < 150; times++) ran("web", "Often");
  expect(await series("graphql_operation_duration_seconds_count")).toContain('{operation="web/Often"} 51');
});

test("20,000 operations of 100 apps with 20 versions have at most 20,000 series, and none is lost", async () => {
  const { ran, series } = measured();
  for (let number = 0; number < 60_000; number++)
    ran(`app${number % 100}`, `Q${number % 20_000}`, `1.${number % 20}`);
  const durations = await series("graphql_operation_duration_seconds_bucket");
  expect(durations.length).toBeLessThanOrEqual(301 * 15);
  const runs = await series("graphql_client_operations_total");
  expect(runs.length).toBeLessThanOrEqual(10_100);
  const total = runs.reduce((sum, line) => sum + Number(/\S+$/.exec(line)), 0);
  expect(total).toBe(60_000);
});

test("label values are escaped as Prometheus' text format asks", async () => {
  const families = new MetricFamilies();
  families.observableGauge("one", "a\\b\nc", ["label"], () => [['"\\\n', 1]]);
  expect(await families.text()).toBe('# HELP one a\\\\b\\nc\n# TYPE one gauge\none{label="\\"\\\\\\n"} 1\n');
});
