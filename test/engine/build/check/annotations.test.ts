/** Findings at a line of a file, as GitHub, code scanning and GitLab show them beside the lines of a change. */
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run as check } from "../../../../src/engine/build/check/check-command.ts";
import { annotationLocation } from "../../../../src/engine/build/check/format/annotation.ts";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { stepFindings } from "./in-memory.ts";
import { depotOpenapi, depotSchema, edited, ran, repository, silent, write } from "./run.ts";

const lineOf = (text: string, part: string): number => text.split(part)[0]?.split("\n").length ?? 0;

type Physical = {
  readonly physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } };
};

/** Where each format puts each finding: the file and the line. */
async function annotated(root: string, ...argv: string[]) {
  const formats = ["--format", "github", "--format", "sarif=sarif.json", "--format", "gitlab=gitlab.json"];
  const { out } = await ran(root, [...formats, ...argv]);
  const github = out.matchAll(/^::\w+ file=([^,]*),line=(\d+),/gm);
  const printed = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));
  const [run] = printed("sarif.json").runs;
  const gitlab: { location: { path: string; lines: { begin: number } } }[] = printed("gitlab.json");
  return {
    github: [...github].map(([, file, line]) => `${file}:${line}`),
    sarif: (run.results as { locations: Physical[] }[]).map(({ locations: [first] }) => {
      const { artifactLocation, region } = first?.physicalLocation ?? {};
      return `${decodeURIComponent(artifactLocation?.uri ?? "")}:${region?.startLine}`;
    }),
    gitlab: gitlab.map(({ location: { path, lines } }) => `${path}:${lines.begin}`),
  };
}

const everywhere = (...places: string[]) => ({ github: places, sarif: places, gitlab: places });

test("a finding is located at the edit, in the document or in the schema", async () => {
  const root = repository();
  await codegen([], { root, ...silent });
  const spec = edited(depotOpenapi, "\n        phone:\n          type: string", "");
  write(root, { "spec/openapi.yaml": edited(spec, "enum: [EUR, USD]", "enum: [EUR, USD, GBP]") });
  expect(await annotated(root, "--base", "HEAD")).toEqual(
    everywhere(
      // what is gone has no line: the properties that it stood among
      `spec/openapi.yaml:${lineOf(spec.replace(/ {4}Courier:[\s\S]*?properties:/, "$&HERE"), "HERE")}`,
      `spec/openapi.yaml:${lineOf(spec, "enum: [EUR, USD]")}`,
    ),
  );
  const schema = edited(depotSchema, "  phone: String\n", "");
  write(root, { "spec/openapi.yaml": depotOpenapi, "spec/schema.graphql": schema });
  const gone = `spec/schema.graphql:${lineOf(schema, "type Courier")}`;
  expect((await annotated(root, "--base", "HEAD")).sarif).toContain(gone);
});

const document = (parameters: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /things:
    get:
      operationId: things
      ${parameters}
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { type: string } } } } } }
`;

test("a new demand of the document is located in the document, although the base has no such node", () => {
  const shop = "parameters: [{ name: shop, in: query, required: true, schema: { type: string } }]";
  const schema = 'type Query { things: [String] @rest(operation: "things") }';
  const [unfed, ...others] = stepFindings(schema, document("summary: Things"), document(shop));
  expect(others).toEqual([]);
  expect(unfed && annotationLocation(unfed)).toMatchObject({ file: "spec/openapi.yaml", line: 7 });
});

test("a removed argument is located at its field", () => {
  const text = document("parameters: [{ name: q, in: query, schema: { type: string } }]");
  const things = (args: string) => `type Query {\n  things${args}: [String] @rest(operation: "things")\n}`;
  const removed = stepFindings(things("(q: String)"), text, text, things("")).find(
    ({ rule }) => rule === "sdl-arg-removed",
  );
  expect(removed && annotationLocation(removed)).toMatchObject({ file: "spec/schema.graphql", line: 2 });
});

test("files are named from the top of the repository, with a project below it too", async () => {
  const top = repository();
  const root = join(top, "apps/graph ql");
  write(root, { "package.json": "{}" });
  renameSync(join(top, "spec"), join(root, "spec"));
  const schema = edited(depotSchema, "revision: Float", "revision: Int");
  write(root, { "spec/schema.graphql": schema });
  const at = `apps/graph ql/spec/schema.graphql:${lineOf(schema, "revision: Int")}`;
  expect(await annotated(root)).toEqual(everywhere(at));
  expect((await ran(root, [])).out).toContain("  spec/schema.graphql:");
  write(top, { "apps/web.json": JSON.stringify({ a: "query A { nothing }" }) });
  const env = { OPERATIONS_FROM: "web=../web.json" };
  const { out } = await ran(root, ["--format", "github"], check, "2026-01-01", env);
  expect(out).toMatch(/^::\w+ file=apps\/web\.json,line=1,/m);
  write(root, { "spec/openapi.yaml": "openapi: [" });
  expect((await ran(root, ["--format", "github"])).out).toContain("::error file=apps/graph ql/spec/openapi");
});

test("what was removed with its file is located at the base's file", async () => {
  const root = repository({
    "spec/operations/mine.graphql": "query Mine { warehouse(id: 1, region: EU_WEST) { id } }\n",
  });
  rmSync(join(root, "spec/operations/mine.graphql"));
  await codegen([], { root, ...silent });
  expect(await annotated(root, "--base", "HEAD")).toEqual(everywhere("spec/operations/mine.graphql:1"));
});

test("GitLab's Code Quality gets one line with the break and the remedy, and a unique fingerprint", async () => {
  const root = repository();
  write(root, { "spec/openapi.yaml": edited(depotOpenapi, "maximum: 500", "maximum: 100") });
  const { out } = await ran(root, ["--base", "HEAD", "--format", "gitlab"]);
  const [stale, limit, ...others] = JSON.parse(out);
  expect(others).toEqual([]);
  expect(stale).toMatchObject({ check_name: "generated-stale", severity: "critical" });
  expect(stale.fingerprint).toMatch(/^[0-9a-f]{12}$/);
  expect(limit).toEqual({
    description:
      'Query.parcels(size:): GET /api/warehouses/{warehouse_id}/parcels query "page_size" has maximum 100 now, it was 500; depends on it: Query.parcels(size:), Warehouse.parcels(size:); broken: Depot (spec/operations/depot.graphql:1); run codegen: the layer then rejects these values itself, under the argument\'s name; or approve it',
    check_name: "rest-limit-changed",
    fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    severity: "critical",
    location: { path: "spec/openapi.yaml", lines: { begin: lineOf(depotOpenapi, "maximum: 500") } },
  });
  const entry = { ...limit, rule: limit.check_name, coordinate: "Query.parcels(size:)", reason: "agreed" };
  write(root, {
    "spec/approvals.yaml": JSON.stringify([{ ...entry, author: "ops", expires: "2026-02-01" }]),
  });
  const approved = JSON.parse((await ran(root, ["--base", "HEAD", "--format", "gitlab"])).out).at(-1);
  expect(approved).toMatchObject({ severity: "info", fingerprint: limit.fingerprint });
  expect(approved.description).toMatch(/; approved until 2026-02-01 by ops: agreed$/);
});
