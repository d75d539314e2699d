/** The report of a run: freshness, the ledger, the formats, failures. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Report } from "../../../../src/engine/build/check/report.ts";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { generate } from "../../../../src/engine/build/codegen/generate.ts";
import { projectAt } from "../../../../src/engine/build/project/project.ts";
import {
  depotOpenapi,
  depotSchema,
  edited,
  project,
  ran,
  reportOf,
  repository,
  silent,
  write,
} from "./run.ts";

test("fresh files exit 0; changed, missing and surplus files are one finding that names each", async () => {
  const root = project();
  const before = await reportOf(root);
  const written = [...(await generate(projectAt(root).proved())).keys()].sort();
  expect(before.findings).toMatchObject([
    {
      ...{ rule: "generated-stale", coordinate: "generated" },
      message: written.map((path) => `${path} is missing`).join("; "),
      places: written.map((file) => ({ file })),
    },
  ]);
  await codegen([], { root, ...silent });
  expect((await ran(root, [])).code).toBe(0);
  write(root, { "generated/resolvers.ts": "// edited\n", "generated/old.ts": "" });
  rmSync(join(root, "generated/operations.ts"));
  const { findings } = await reportOf(root);
  expect(findings).toMatchObject([
    {
      message:
        "generated/operations.ts is missing; generated/resolvers.ts differs from codegen's output, from line 1 on; generated/old.ts is no longer generated",
    },
  ]);
});

test("a checkout with the line ends of Windows is fresh", async () => {
  const root = project();
  await codegen([], { root, ...silent });
  const path = "generated/resolvers.ts";
  write(root, { [path]: readFileSync(join(root, path), "utf8").replaceAll("\n", "\r\n") });
  expect((await ran(root, [])).code).toBe(0);
});

test("lines that are missing at the end of a generated file are found at its end", async () => {
  const root = project();
  await codegen([], { root, ...silent });
  const path = "generated/resolvers.ts";
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  write(root, { [path]: `${lines.slice(0, 9).join("\n")}\n` });
  const [finding] = (await reportOf(root)).findings;
  expect(finding?.message).toBe(`${path} differs from codegen's output, from line 10 on`);
});

test("a misspelt name in the ledger is to be corrected", async () => {
  const { out } = await ran(project({ "spec/rest-only.yaml": "audit_lag: not for clients\n" }), []);
  expect(out).toMatch(
    /"audit_lag"; did you mean "audit_log"\?[\s\S]+→ correct its name, or remove the entry/,
  );
});

test("an operation that is neither bound nor in the ledger is a finding", async () => {
  const { findings } = await reportOf(project({ "spec/rest-only.yaml": "" }));
  expect(findings.filter(({ stage }) => stage === "ledger")).toMatchObject([
    { rule: "operation-undecided", coordinate: "audit_log" },
  ]);
});

test("every format prints the same findings, and one run can write several formats", async () => {
  const root = repository();
  write(root, {
    "spec/openapi.yaml": edited(
      depotOpenapi,
      "enum: [in-transit, delivered, lost]",
      "enum: [in-transit, delivered, lost, returned]",
    ),
  });
  const argv = [
    "--base",
    "HEAD",
    "--format",
    "github",
    "--format",
    "sarif=out/r.sarif",
    "--format",
    "json=out/r.json",
    "--format",
    "markdown=out/r.md",
    "--format",
    "text=out/r.txt",
  ];
  const { code, out } = await ran(root, argv);
  expect(code).toBe(1);
  const { findings } = JSON.parse(readFileSync(join(root, "out/r.json"), "utf8")) as Report;
  expect(findings.length).toBeGreaterThan(0);
  expect(out.match(/^::(error|warning|notice) file=spec\//gm)).toHaveLength(findings.length);
  expect(
    readFileSync(join(root, "out/r.md"), "utf8").match(/^### (error|warning|breaking|dangerous): /gm),
  ).toHaveLength(findings.length);
  expect(
    readFileSync(join(root, "out/r.txt"), "utf8").match(/^(error|warning|breaking|dangerous) /gm),
  ).toHaveLength(findings.length);
  expect(out).not.toContain("\u001b");
  const sarif = JSON.parse(readFileSync(join(root, "out/r.sarif"), "utf8"));
  expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(
    findings.map(({ rule }) => rule),
  );
});

test("every finding has the link of its rule, and the page has that heading", async () => {
  const root = repository();
  write(root, { "spec/openapi.yaml": edited(depotOpenapi, "        phone:\n          type: string\n", "") });
  const argv = ["--format", "text", "--format", "json=r.json", "--format", "sarif=r.sarif"];
  const { out } = await ran(root, argv);
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));
  const findings: { rule: string; page: string }[] = read("r.json").findings;
  expect(findings.length).toBeGreaterThan(0);
  const page = readFileSync(new URL("../../../../docs/reference/rules.md", import.meta.url), "utf8");
  for (const { rule, page: link } of findings) {
    expect(link).toBe(`docs/reference/rules.md#${rule}`);
    expect(out).toContain(`\n  ${link}\n`);
    expect(page).toContain(`\n### \`${rule}\`\n`);
  }
  const { rules, version } = read("r.sarif").runs[0].tool.driver;
  for (const { id, helpUri } of rules)
    expect(helpUri).toBe(`https://unpkg.com/restbound@${version}/docs/reference/rules.md#${id}`);
});

test("SARIF has levels, places, those at the base, fingerprints and approvals", async () => {
  const root = repository();
  write(root, { "spec/openapi.yaml": edited(depotOpenapi, "maximum: 500", "maximum: 100") });
  const { findings } = await reportOf(root, "--base", "HEAD");
  const approved = findings.find(({ fingerprint }) => fingerprint);
  const entry = { ...approved, reason: "agreed", author: "ops", expires: "2026-02-01" };
  const spec = edited(depotOpenapi, "        phone:\n          type: string\n", "");
  write(root, { "spec/openapi.yaml": edited(spec, "maximum: 500", "maximum: 100") });
  write(root, { "spec/approvals.yaml": JSON.stringify([entry, { ...entry, fingerprint: "000000000000" }]) });
  // what is settled takes no room in the text: it has no excerpt
  expect((await ran(root, ["--base", "HEAD"])).out).toMatch(
    /^approved Query\.parcels\(size:\) .*\n(?: {2}(?!spec\/).*\n){3} {2}approved until 2026-02-01 by ops: agreed$/m,
  );
  const { out } = await ran(root, ["--base", "HEAD", "--format", "sarif"]);
  const log = JSON.parse(out);
  expect(log).toMatchObject({
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "restbound check" } } }],
  });
  const [run] = log.runs;
  const levels = new Set(run.results.map(({ level }: { level: string }) => level));
  expect(levels).toEqual(new Set(["error", "note"]));
  const gone = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === "property-missing");
  expect(gone).toMatchObject({
    message: { text: expect.stringMatching(/^Courier\.phone: .*\nat the base: spec\/openapi\.yaml:\d+:\d+/) },
    locations: [{ physicalLocation: { artifactLocation: { uri: "spec/openapi.yaml" } } }],
  });
  const lower = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === "rest-limit-changed");
  expect(lower).toMatchObject({
    partialFingerprints: { "approval/v1": approved?.fingerprint },
    suppressions: [{ kind: "external", justification: "ops, until 2026-02-01: agreed" }],
  });
  for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
});

test("a run that fails is annotated, and removes an older report", async () => {
  const root = project({ "spec/openapi.yaml": "openapi: [", "r.json": "{}" });
  const argv = ["--format", "github", "--format", "json=r.json", "--format", "markdown=r.md"];
  const { code, out } = await ran(root, argv);
  expect(code).toBe(3);
  expect(out).toMatch(/^::error file=spec\/openapi\.yaml,line=1,col=\d+,title=check failed::/);
  expect(existsSync(join(root, "r.json"))).toBe(false);
  // a comment that an earlier run wrote must not stay as it is
  expect(readFileSync(join(root, "r.md"), "utf8")).toMatch(
    /^## Spec check: ❌ failed\n\n- spec\/openapi\.yaml:1:\d+: /,
  );
});

test.each(["spec/schema.graphql", "./spec/../spec/openapi.yaml", "generated/new.json", "metrics.txt"])(
  "a report does not replace what the run reads: %s",
  async (file) => {
    const root = repository();
    write(root, { "metrics.txt": "kept" });
    const argv = ["--base", "HEAD", "--usage", "metrics.txt", "--format", `json=${file}`];
    expect(await ran(root, argv)).toMatchObject({
      code: 2,
      error: `--format json=${file}: the run reads this file, and a report would replace it`,
    });
    expect(readFileSync(join(root, "spec/schema.graphql"), "utf8")).toBe(depotSchema);
    expect(readFileSync(join(root, "metrics.txt"), "utf8")).toBe("kept");
  },
);

test("the same spec in another folder and time zone gives the same files and reports", async () => {
  const zone = process.env.TZ;
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const texts: string[] = [];
  for (const zone of ["Pacific/Kiritimati", "America/Los_Angeles"]) {
    process.env.TZ = zone;
    const root = repository();
    const generated = [...(await generate(projectAt(root).proved()))].flat().join("\n");
    write(root, { "spec/openapi.yaml": edited(depotOpenapi, "enum: [EUR, USD]", "enum: [EUR, GBP]") });
    const argv = ["--base", "HEAD", "--format", "json", "--format", "markdown=m", "--format", "text=t"];
    const { out } = await ran(root, argv);
    texts.push(
      generated + out + readFileSync(join(root, "m"), "utf8") + readFileSync(join(root, "t"), "utf8"),
    );
  }
  expect(texts[0]).toBe(texts[1]);
});
