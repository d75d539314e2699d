/** The graph of the Markdown report: what a change reaches, the worst first. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { impactGraph } from "../../../../src/engine/build/check/format/impact-graph.ts";
import type { Finding, Report } from "../../../../src/engine/build/check/report.ts";
import { depotOpenapi, edited, ran, repository, write } from "./run.ts";

test("a change leads to its fields, and they lead to the saved operations that it breaks", async () => {
  const root = repository();
  write(root, {
    "spec/openapi.yaml": edited(depotOpenapi, "        company:\n          type: string\n", ""),
  });
  const formats = ["--format", "json=report.json", "--format", "markdown"];
  const { out } = await ran(root, ["--base", "HEAD", ...formats]);
  expect(impactGraph(JSON.parse(readFileSync(join(root, "report.json"), "utf8")))).toEqual([
    "flowchart LR",
    '  c0{{"breaking: property-missing"}}',
    '  c0 --> f0["Courier.company"]',
    '  o0(["Depot: broken"])',
    "  f0 --> o0",
  ]);
  expect(out).toContain("```mermaid\nflowchart LR\n");
});

test("the worst come first, the rest is counted, and a name becomes no markup", () => {
  const finding = (change: "breaking" | "dangerous", coordinate: string): Finding => ({
    ...{ stage: "changes", rule: "rest-limit-changed", severity: "error", change, coordinate },
    ...{ coordinates: Array.from({ length: 9 }, (_, index) => `${coordinate}${index}`) },
    ...{ message: "", hint: "", places: [], operations: [] },
  });
  const findings = [
    finding("dangerous", "A.b"),
    ...Array.from({ length: 9 }, () => finding("breaking", 'C."d')),
  ];
  const lines = impactGraph({ findings, operations: [] } as unknown as Report);
  expect(lines[1]).toBe('  c0{{"breaking: rest-limit-changed"}}');
  expect(lines.filter((line) => line.includes("dangerous"))).toEqual([]);
  expect(lines).toContain('  c0 --> m0["3 more"]');
  expect(lines).toContain('  c0 --> f0["C.#34;d0"]');
  expect(lines.at(-1)).toBe('  rest["2 more changes"]');
});
