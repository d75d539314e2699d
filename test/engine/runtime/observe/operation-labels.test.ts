/** The labels of saved operations in /metrics: one app's many operations take no label from another app's. */
import { expect, test } from "vitest";
import { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import { MetricFamilies } from "../../../../src/engine/server/metrics/metric-families.ts";
import { measureRequests } from "../../../../src/engine/server/metrics/request-metrics.ts";

test("an app has at most 500 operations with labels of their own, and another app's have theirs", async () => {
  const families = new MetricFamilies();
  const { requestEnded } = measureRequests(families, new Map());
  const ran = (app: string | undefined, name: string): void => {
    const record = new RequestRecord({ role: "graphql", log: {} as never }, "", "POST", "/v1/graphql", "");
    record.operation = { app, name, id: name };
    requestEnded?.(record);
  };
  for (let number = 0; number < 2_000; number++) ran("aaa", `Q${number}`);
  ran("web", "Inbox");
  ran(undefined, "StartPage");
  const text = await families.registry.metrics();
  const counted = text.match(/^graphql_operation_duration_seconds_count\{.*/gm) ?? [];
  expect(counted.filter((line) => line.includes('operation="aaa/'))).toHaveLength(500);
  for (const [name, count] of [
    ["other", 1_500] as const,
    ["web/Inbox", 1] as const,
    ["StartPage", 1] as const,
  ])
    expect(counted).toContain(`graphql_operation_duration_seconds_count{operation="${name}"} ${count}`);
});
