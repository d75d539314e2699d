/** The dashboard's variables, its annotation of releases, and the syntax of its queries. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import dashboard from "../../../deploy/grafana/dashboard.json" with { type: "json" };
import { panels } from "./panels.ts";

const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const releases = dashboard.annotations.list.map(({ expr }) => expr);
const variables = dashboard.templating.list.map(({ name }) => name);

test("each query is for the chosen replicas, and those of REST for the chosen products and operations", () => {
  for (const query of queries) expect(query).toContain('instance=~"$instance"');
  for (const query of queries.filter((each) => /\brest_(?!cache)/.test(each)))
    expect(query).toContain('product=~"$product"');
  for (const query of queries.filter((each) => /\brest_call(?:s_total|_duration)/.test(each)))
    expect(query).toContain('operation=~"$operation"');
  for (const query of queries.filter((each) => /\bgraphql_operation_/.test(each)))
    expect(query).toContain('operation=~"$saved"');
});

test("each variable is used, and each that is used is defined", () => {
  const used = [...queries, ...releases].flatMap((query) => query.match(/(?<=\$)[a-z_]+/g) ?? []);
  const own = new Set(used.filter((name) => !name.startsWith("__")));
  expect([...own].sort()).toEqual(variables.filter((name) => name !== "datasource").sort());
});

test("a release is annotated with its build and spec", () => {
  expect(releases).toEqual([expect.stringContaining("by (build, spec) (build_info")]);
});

test.skipIf(spawnSync("promtool", ["--version"]).error)("promtool parses each query", () => {
  const folder = mkdtempSync(join(tmpdir(), "dashboard-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const all = [...panels.map(({ expr }) => expr), ...releases];
  const rules = all.map((expr, index) => ({ record: `query_${index}`, expr }));
  writeFileSync(join(folder, "rules.yaml"), stringify({ groups: [{ name: "dashboard", rules }] }));
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", join(folder, "rules.yaml")]);
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining(`${all.length} rules found`)]);
});
