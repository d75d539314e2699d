/** The delays of docs/reference/alerts.md: promtool plays a complete fault, and the alert fires between the two times. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { delays } from "../../repository/docs/alerts-page.ts";

const step = 5;
/** The number of samples before the fault, six hours, which are the longest window of an earliest alert, and after it. */
const before = 4_320;
const after = 450;

const gauge = (good: number, bad: number): string => `${good}x${before} ${bad}x${after}`;
/** Counters of what stops with the fault, begins with it, and goes on. */
const stops = `0+50x${before} ${50 * before}x${after}`;
const begins = `0x${before} 50+50x${after}`;
const continues = `0+50x${before + after}`;

const calls = (labels: string) => ({
  [`rest_call_duration_seconds_bucket{${labels},le="1"}`]: stops,
  [`rest_call_duration_seconds_bucket{${labels},le="2.5"}`]: continues,
  [`rest_call_duration_seconds_bucket{${labels},le="+Inf"}`]: continues,
  [`rest_call_duration_seconds_count{${labels}}`]: continues,
});

/** The series of a complete fault by the alert. */
const faults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RoleDown: { 'up{job="messaging-graphql",instance="a"}': gauge(1, 0) },
  ServerDownForBalancer: { 'haproxy_server_status{server="a",state="DOWN"}': gauge(0, 1) },
  NotReady: { 'ready{role="graphql",instance="a"}': gauge(1, 0) },
  TrafficDropped: {
    'http_server_request_duration_seconds_count{role="gateway",http_route="/v1/graphql"}': stops,
  },
  RestOperationFails: {
    'rest_calls_total{operation="o",product="P",outcome="OK"}': stops,
    'rest_calls_total{operation="o",product="P",outcome="UPSTREAM_ERROR"}': begins,
  },
  RareRestOperationFails: {
    'rest_calls_total{operation="o",product="P",outcome="OK"}': stops,
    'rest_calls_total{operation="o",product="P",outcome="UPSTREAM_ERROR"}': begins,
  },
  ProductSlow: calls('operation="o",product="P"'),
  RestOperationSlow: calls('operation="o",product="P"'),
  OperationFails: {
    'graphql_client_operations_total{operation="o"}': continues,
    'graphql_operation_errors_total{operation="o",code="UPSTREAM_ERROR"}': begins,
  },
  KeyIntrospectionFails: { 'gateway_key_lookups_total{outcome="failed",instance="a"}': begins },
  SigningKeysOld: {
    'gateway_signing_keys_age_seconds{instance="a"}': `0x${before} ${step}+${step}x${after}`,
    'gateway_signing_key_failures_total{instance="a"}': begins,
  },
  ErrorBudgetBurnsFast: {
    'http_server_request_duration_seconds_count{role="gateway",http_response_status_code="200"}': stops,
    'http_server_request_duration_seconds_count{role="gateway",http_response_status_code="500"}': begins,
  },
};

const { groups } = parse(readFileSync("deploy/prometheus/alerts.yaml", "utf8")) as {
  groups: { rules: { alert?: string; record?: string; expr: string }[] }[];
};

/** The alert, and the recording rules that it reads: all rules would take promtool a minute. */
function groupsOf(name: string) {
  const expr = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name)?.expr ?? "";
  return groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert, record = "none" }) => alert === name || expr.includes(record)),
  }));
}

test.skipIf(spawnSync("promtool", ["--version"]).error).each(Object.keys(faults))("%s", (alert) => {
  const folder = mkdtempSync(join(tmpdir(), "delays-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "alerts.yaml"), stringify({ groups: groupsOf(alert) }));
  const { earliest = 0, spread = 0 } = delays.get(alert) ?? {};
  // recording rules have an interval of 30 s, and the alert may read what they recorded at the one before
  const [evaluation, more] = alert.startsWith("ErrorBudget") ? [30, 60] : [step, 0];
  const firing = (seconds: number, value: number) => ({
    expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
    eval_time: `${(step * before + seconds).toFixed()}s`,
    exp_samples: [{ labels: "{}", value }],
  });
  const check = {
    interval: `${step}s`,
    input_series: Object.entries(faults[alert] ?? {}).map(([series, values]) => ({ series, values })),
    promql_expr_test: [firing(earliest - 1, 0), firing(earliest + spread + more, 1)],
  };
  const suite = { rule_files: ["alerts.yaml"], evaluation_interval: `${evaluation}s`, tests: [check] };
  writeFileSync(join(folder, "delays.test.yaml"), stringify(suite));
  const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "delays.test.yaml"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
});
