/** What Prometheus reads: right counts, and nothing of any tenant. */
import { describe, expect, test } from "vitest";
import { demoKeys } from "../../src/platform/demo/demo.ts";
import { refusingUrl } from "../gateway/start.ts";
import { get, query, runReady } from "./program.ts";

const { key, tenant } = demoKeys[0] as (typeof demoKeys)[number];

/** The value of each sample, by its name and labels as they are written. */
async function scrape({
  output,
}: {
  output: () => string;
}): Promise<{ text: string; at: Map<string, number> }> {
  const answer = await fetch(/metrics: (\S+)/.exec(output())?.[1] ?? "");
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return { text, at: new Map(samples.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line))])) };
}

const count = "http_server_request_duration_seconds_count";

describe("METRICS_PORT", () => {
  test("counts what each role answers, what it calls, and what ran the operations", async () => {
    const program = await runReady([], { METRICS_PORT: "0" });
    await query(program.url, "{ me { id } contacts { id } }", key);
    await query(program.url, "{ me { email } }", key);
    await query(program.url, "{ __schema { queryType { name } } }", key);
    await get(program.url, "/v1/identity/me", "sk_test_nobody");
    const { text, at } = await scrape(program);
    const answered = (role: string, status: number): number | undefined =>
      at.get(`${count}{role="${role}",http_response_status_code="${status}"}`);
    expect([answered("gateway", 200), answered("gateway", 401), answered("graphql", 200)]).toEqual([3, 1, 3]);
    expect(at.get('graphql_operations_total{executor="plan"}')).toBe(2);
    expect(at.get('graphql_operations_total{executor="graphql-js"}')).toBe(1);
    const calls = [...at].filter(([name]) => /^http_client\w+_count\{.*status_code="200"/.test(name));
    // the gateway's to graphql, then three of REST and the introspection of one key, which is remembered
    expect(calls.map(([, value]) => value).sort()).toEqual([3, 4]);
    expect(at.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    for (const secret of [key, tenant, "olivia", "sk_"]) expect(text).not.toContain(secret);
  });

  test("a call that fails is counted by its error", async () => {
    const rest = await refusingUrl();
    const program = await runReady(["graphql"], { METRICS_PORT: "0", REST_BASE_URL: rest.href });
    await query(program.url, "{ me { id } }", key);
    const { at } = await scrape(program);
    const labels = `server_address="127.0.0.1",server_port="${rest.port}",error_type="ECONNREFUSED"`;
    expect(at.get(`http_client_request_duration_seconds_count{${labels}}`)).toBe(2); // tried once more
  });

  test("stands on a port of its own, and only there", async () => {
    const { url, output } = await runReady(["platform"]);
    expect((await get(url, "/metrics")).status).toBe(404);
    expect(output()).not.toContain("metrics");
  });
});
