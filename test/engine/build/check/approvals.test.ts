/** Approvals: what they settle, and what nobody can approve. */
import { expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import type { Finding, Report } from "../../../../src/engine/build/check/report.ts";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { stepReport } from "./in-memory.ts";
import { validProject } from "./mutations/pair.ts";
import { depotOpenapi, depotSchema, edited, project, ran, reportOf, silent, write } from "./run.ts";

test("an approval settles a change, an expired approval fails, an unused approval is a note", async () => {
  const lower = { "spec/openapi.yaml": edited(depotOpenapi, "maximum: 500", "maximum: 100") };
  const before = await stepReport({}, lower);
  const [finding] = before.findings as [Finding];
  expect(before.findings).toMatchObject([{ rule: "rest-limit-changed", coordinate: "Query.parcels(size:)" }]);
  const entry = (fingerprint: string, expires: string): string =>
    `- { fingerprint: "${fingerprint}", rule: ${finding.rule}, coordinate: "${finding.coordinate}", reason: agreed, author: ops, expires: "${expires}" }\n`;
  const approval = { "spec/approvals.yaml": entry(finding.fingerprint ?? "", "2026-02-01") };
  const approved = await stepReport({}, { ...lower, ...approval });
  expect(approved.summary).toMatchObject({ findings: 1, approved: 1 });
  expect(approved.findings[0]?.approval).toEqual({ reason: "agreed", author: "ops", expires: "2026-02-01" });
  const expired = {
    "spec/approvals.yaml":
      entry(finding.fingerprint ?? "", "2025-12-31") + entry("000000000000", "2026-02-01"),
  };
  const late = await stepReport({}, { ...lower, ...expired });
  expect(late.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
    "rest-limit-changed error",
    "approval-expired error",
    "approval-unused note",
  ]);
  expect(late.findings.at(-1)?.hint).toContain("rest-limit-changed is reported at Query.parcels(size:) now");
  const { findings, operations } = await stepReport({}, expired);
  expect(findings.map(({ rule }) => rule)).toContain("approval-expired");
  expect(operations.map(({ verdict }) => verdict)).toEqual(["untouched", "untouched"]);
});

test("two changes of one rule at one coordinate need two approvals", async () => {
  const base = "token: String @";
  const withToken = (value: string): string => edited(depotSchema, base, `token: String = ${value} @`);
  const was = {
    "spec/schema.graphql": `${withToken('"name asc"')}\nunion Load = Goods | Letter | Parcel\n`,
  };
  const fingerprints = async (value: string, members: string): Promise<(string | undefined)[]> => {
    const edits = { "spec/schema.graphql": `${withToken(value)}\nunion Load = ${members}\n` };
    const { findings } = await stepReport(was, edits);
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

test("approved findings come after open ones, and affect no operation since a base", () => {
  const answer = (schema: object) => ({
    responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
  });
  const user = (name: string) => ({
    ...{ type: "object", required: ["id", "boss", name] },
    properties: { id: { type: "string" }, boss: { type: "string" }, [name]: { type: "string" } },
  });
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const openapi = (name: string): string =>
    JSON.stringify({
      ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
      paths: {
        "/users": { get: { operationId: "users", ...answer({ type: "array", items: user(name) }) } },
        "/users/{id}": { get: { operationId: "user", parameters: [id], ...answer(user(name)) } },
      },
    });
  const files = (name: string, fingerprint: string) =>
    new Map(
      Object.entries({
        "openapi.yaml": openapi(name),
        "schema.graphql": `type Query { users: [User!] @rest(operation: "users") }
type User { name: String boss: User @rest(operation: "user", params: [{ name: "id", from: "parent.boss" }]) }`,
        "operations/users.graphql": "query Bosses { users { boss { __typename } } }",
        "approvals.yaml": `[{ fingerprint: "${fingerprint}", rule: n-plus-one, coordinate: User.boss, reason: few, author: ops, expires: 2026-02-01 }]`,
      }),
    );
  const [warning] = examine(validProject(files("name", "none")), undefined, "2026-01-01").findings;
  const base = validProject(files("name", warning?.fingerprint ?? ""));
  const head = new Project(textFiles(files("label", warning?.fingerprint ?? "")));
  const verdicts = ({ operations }: Report) => operations.map(({ verdict }) => verdict);
  expect(verdicts(examine(base, undefined, "2026-01-01"))).toEqual(["affected"]);
  const report = examine(head, base, "2026-01-01");
  expect(report.findings.map(({ rule }) => rule)).toEqual(["property-missing", "n-plus-one"]);
  expect(verdicts(report)).toEqual(["untouched"]);
});
