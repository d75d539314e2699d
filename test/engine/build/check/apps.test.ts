/** `npm run check` with the manifests of apps: a spec edit names the app and the operation that it breaks. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { run as check } from "../../../../src/engine/build/check/check-command.ts";
import type { Report } from "../../../../src/engine/build/check/report.ts";
import { depotOpenapi, depotSchema, edited, ran, repository, write } from "./run.ts";

const courier =
  "query Depot { warehouse(id: 1, region: EU_WEST) { parcels { parcels { courier { company } } } } }";
const place = "query Depot { warehouse(id: 1, region: EU_WEST) { name } }";
const map = (operations: Readonly<Record<string, string>>): string => JSON.stringify(operations);

async function reportOf(root: string, ...argv: string[]): Promise<Report> {
  const env = { OPERATIONS_FROM: "manifests" };
  const { out, error } = await ran(root, ["--format", "json", ...argv], check, "2026-01-01", env);
  expect(error).toBe("");
  return JSON.parse(out) as Report;
}

const verdicts = ({ operations }: Report): string[] =>
  operations.map(({ name, verdict }) => `${name} ${verdict}`);

test("a removed property breaks the app's operation that selects it, and the other app's is untouched", async () => {
  const root = repository();
  write(root, {
    "manifests/web.json": map({ a: courier }),
    "manifests/desk/1.json": map({ b: place }),
    "spec/openapi.yaml": edited(depotOpenapi, "        company:\n          type: string\n", ""),
  });
  const report = await reportOf(root, "--base", "HEAD");
  expect(report.findings).toMatchObject([
    { rule: "property-missing", coordinate: "Courier.company", severity: "error", change: "breaking" },
  ]);
  expect(report.findings[0]?.operations).toMatchObject([
    { name: "Depot", file: "spec/operations/depot.graphql", verdict: "broken" },
    { name: "web/Depot", file: "manifests/web.json", verdict: "broken" },
  ]);
  expect(verdicts(report)).toEqual([
    "Depot broken",
    "Register untouched",
    "web/Depot broken",
    "desk/Depot untouched",
  ]);
});

test("the finding of a removed field names the app's operation; one that did not fit before is a note", async () => {
  const root = repository({ "spec/operations/depot.graphql": place });
  write(root, {
    "manifests/web.json": map({
      a: courier,
      b: "query Old { warehouse(id: 1, region: EU_WEST) { colour } }",
      c: "query Half {",
    }),
    "spec/schema.graphql": edited(
      depotSchema,
      "  company: String!\n",
      '  firm: String! @restName(name: "company")\n',
    ),
  });
  const { findings } = await reportOf(root, "--base", "HEAD");
  const invalid = findings.filter(({ rule }) => rule === "saved-operation-invalid");
  expect(invalid.map(({ coordinate, severity }) => `${coordinate} ${severity}`)).toEqual([
    "web/Old note",
    "web/Half note",
  ]);
  expect(findings.filter(({ change }) => change)).toMatchObject([
    {
      ...{ rule: "sdl-field-removed", coordinate: "Courier.company" },
      operations: [{ name: "web/Depot", file: "manifests/web.json", verdict: "broken" }],
    },
  ]);
  const alone = await reportOf(root);
  expect(alone.findings.filter(({ severity }) => severity === "note")).toEqual([]);
});

test("a manifest that cannot be read ends the run", async () => {
  const root = repository();
  write(root, { "manifests/web.json": "{" });
  const run = await ran(root, [], check, "2026-01-01", { OPERATIONS_FROM: "manifests" });
  expect(run).toMatchObject({
    code: 2,
    error: `OPERATIONS_FROM: ${join(root, "manifests/web.json")} is not valid JSON`,
  });
  const wrong = await ran(root, [], check, "2026-01-01", { OPERATIONS_FROM: "web.json" });
  expect(wrong).toMatchObject({
    code: 2,
    error: "OPERATIONS_FROM: name the app before a file or URL: app=web.json",
  });
});
