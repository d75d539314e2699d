/** Approvals: what they settle, and what nobody can approve. */
import { expect, test } from "vitest";
import type { Finding, Report } from "../../../src/engine/check/report.ts";
import { run as codegen } from "../../../src/engine/codegen/main.ts";
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

test("an approval settles a change, an expired approval fails, an unused approval is a note", async () => {
  const root = repository();
  const settled = async (): Promise<Report> => {
    await codegen([], { root, ...silent });
    return reportOf(root, "--base", "HEAD");
  };
  write(root, {
    "spec/openapi.yaml": edited(depotOpenapi, "maximum: 500", "maximum: 100"),
  });
  const before = await settled();
  const [finding] = before.findings as [Finding];
  expect(before.findings).toMatchObject([{ rule: "rest-limit-changed", coordinate: "Query.parcels(size:)" }]);
  const entry = (fingerprint: string, expires: string): string =>
    `- { fingerprint: "${fingerprint}", rule: ${finding.rule}, coordinate: "${finding.coordinate}", reason: agreed, author: ops, expires: "${expires}" }\n`;
  write(root, { "spec/approvals.yaml": entry(finding.fingerprint ?? "", "2026-02-01") });
  const approved = await settled();
  expect(approved.summary).toMatchObject({ findings: 1, approved: 1 });
  expect(approved.findings[0]?.approval).toEqual({ reason: "agreed", author: "ops", expires: "2026-02-01" });
  write(root, {
    "spec/approvals.yaml":
      entry(finding.fingerprint ?? "", "2025-12-31") + entry("000000000000", "2026-02-01"),
  });
  const late = await settled();
  expect(late.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
    "rest-limit-changed error",
    "approval-expired error",
    "approval-unused note",
  ]);
  expect(late.findings.at(-1)?.hint).toContain("rest-limit-changed stands at Query.parcels(size:) now");
  write(root, { "spec/openapi.yaml": depotOpenapi });
  const { findings, operations } = await settled();
  expect(findings.map(({ rule }) => rule)).toContain("approval-expired");
  expect(operations.map(({ verdict }) => verdict)).toEqual(["untouched", "untouched"]);
});

test("two changes of one rule at one coordinate need two approvals", async () => {
  const base = "token: String @";
  const withToken = (value: string): string => edited(depotSchema, base, `token: String = ${value} @`);
  const root = repository({
    "spec/schema.graphql": `${withToken('"name asc"')}\nunion Load = Goods | Letter | Parcel\n`,
  });
  const fingerprints = async (value: string, members: string): Promise<(string | undefined)[]> => {
    write(root, { "spec/schema.graphql": `${withToken(value)}\nunion Load = ${members}\n` });
    const { findings } = await reportOf(root, "--base", "HEAD");
    return findings.flatMap(({ rule, fingerprint }) => (rule.startsWith("sdl-") ? [fingerprint] : []));
  };
  const all = [
    ...(await fingerprints('"name desc"', "Goods | Letter | Parcel")),
    ...(await fingerprints('"age asc"', "Goods | Letter | Parcel")),
    ...(await fingerprints('"name asc"', "Goods")),
  ];
  expect(all).toHaveLength(4);
  expect(new Set(all).size).toBe(4);
});

test("an error of the mapping has no fingerprint, so it cannot be approved", async () => {
  const { findings } = await reportOf(
    project({ "spec/schema.graphql": edited(depotSchema, "revision: Float", "revision: Int") }),
  );
  expect(findings).toMatchObject([{ rule: "output-int64", coordinate: "Parcel.revision" }]);
  expect(findings[0]).not.toHaveProperty("fingerprint");
});

test("a credential that is never sent to REST is one finding for all fields, and can be approved", async () => {
  const session = "components:\n  securitySchemes:\n";
  const scheme = "    session: { type: apiKey, in: cookie, name: SID }";
  const root = project({
    "spec/openapi.yaml": edited(
      edited(depotOpenapi, "\ncomponents:", `\n${session}${scheme}`),
      "\nsecurity: []",
      "\nsecurity: [{ session: [] }]",
    ),
  });
  expect(await codegen([], { root, ...silent })).toBe(0);
  const { findings } = await reportOf(root);
  expect(findings).toMatchObject([{ rule: "credential-unsent", severity: "warning", stage: "proof" }]);
  const { fingerprint, coordinate, rule } = findings[0] as Finding;
  write(root, {
    "spec/approvals.yaml": `- { fingerprint: "${fingerprint}", rule: ${rule}, coordinate: "${coordinate}", reason: a proxy adds it, author: ops, expires: "2026-02-01" }\n`,
  });
  expect((await ran(root, [])).code).toBe(0);
});
