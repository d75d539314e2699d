/** `check`, `explain` and `propose` over products with documents of their own. */
import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../../../../src/engine/build/check/report.ts";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { run as explain } from "../../../../src/engine/build/explain/explain-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { stepReport } from "./in-memory.ts";
import { edited, ran, reportOf, repository, write } from "./run.ts";

const spec = join(import.meta.dirname, "../codegen/cases/several-documents");
const text = (name: string): string => readFileSync(join(spec, name), "utf8");
const [crm, billing, schema] = ["openapi/crm.yaml", "openapi/billing-eu.json", "schema.graphql"].map(
  text,
) as [string, string, string];

const operations = `query People { contacts { id name } }
query Payers { payers { number } }
query Owed { contacts { id invoices { id payer { number } } } }
`;

const saved = { "spec/operations/front.graphql": operations };
const opened = (): string => repository(saved, spec);

/** The findings, but for files that were never generated. */
async function found(root: string, ...argv: string[]): Promise<Finding[]> {
  return (await reportOf(root, ...argv)).findings.filter(({ stage }) => stage !== "freshness");
}

const places = ({ places: all }: Finding): string[] =>
  all.map(({ role, file, line }) => `${role} ${file}:${line}`);
const names = ({ operations: all }: Finding): string[] => all.map(({ name }) => name);

test("a finding about an edit of one document has that document's file, fields and operations only", async () => {
  expect((await stepReport(saved, {}, { spec })).findings).toEqual([]);
  const openapi = edited(billing, '"number": { "type": "integer" }', '"number": { "type": "string" }');
  const edits = { "spec/openapi/billing-eu.json": openapi };
  const [finding, ...others] = (await stepReport(saved, edits, { spec })).findings;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ rule: "output-type", coordinate: "Payer.number", change: "breaking" });
  expect(finding && places(finding)).toEqual([
    "schema spec/schema.graphql:30",
    "rest spec/openapi/billing-eu.json:23",
    "base rest spec/openapi/billing-eu.json:23",
  ]);
  expect(finding && names(finding)).toEqual(["Payers", "Owed"]);
});

test("another credential, another base of a part, a field of an overlay: each at its document", async () => {
  const edits = {
    "spec/openapi/crm.yaml": edited(crm, "name: X-Crm-Key", "name: X-Crm-Token"),
    "spec/openapi/crm.overlay.yaml": edited(text("openapi/crm.overlay.yaml"), "[email]", "[id]"),
    "spec/openapi/parts/money.yaml": edited(text("openapi/parts/money.yaml"), "required: [amount], ", ""),
  };
  const { findings } = await stepReport(saved, edits, { spec });
  expect(findings.map((each) => [each.message, names(each), places(each).slice(1)])).toEqual([
    [
      "Contact.email is String!, but REST may leave it out",
      [],
      ["rest spec/openapi/crm.overlay.yaml:3", "base rest spec/openapi/crm.overlay.yaml:3"],
    ],
    [
      "Money.amount is Int!, but REST may leave it out",
      [],
      ["rest spec/openapi/parts/money.yaml:1", "base rest spec/openapi/parts/money.yaml:1"],
    ],
    [
      "security scheme crm.key is apiKey header X-Crm-Token now, it was apiKey header X-Crm-Key",
      ["People", "Owed"],
      ["rest spec/openapi/crm.yaml:26", "base rest spec/openapi/crm.yaml:26"],
    ],
  ]);
});

/** The overlay of billing, as a vendor might deliver it: callers' CRM key is the credential of billing, too. */
const claiming = `overlay: 1.0.0
info: { title: t, version: "1" }
actions: [{ target: $.components.securitySchemes.bearer, update: { x-from-header: x-crm-KEY } }]
`;

test("a credential that two documents take stops codegen until each of them is approved, by the entries that check prints", async () => {
  const root = opened();
  write(root, { "spec/openapi/billing-eu.overlay.yaml": claiming });
  for (const base of [[], ["--base", "HEAD"]]) {
    const shared = (await found(root, ...base)).filter(({ rule }) => rule === "credential-shared");
    expect(shared.map((each) => [each.severity, each.coordinate, places(each)])).toEqual([
      [
        "error",
        "crm#/components/securitySchemes/key",
        ["schema spec/schema.graphql:2", "rest spec/openapi/crm.yaml:26"],
      ],
      [
        "error",
        "billing-eu#/components/securitySchemes/bearer",
        ["schema spec/schema.graphql:4", "rest spec/openapi/billing-eu.overlay.yaml:3"],
      ],
    ]);
  }
  const generates = async (): Promise<boolean> => (await ran(root, [], codegen)).code === 0;
  expect(await generates()).toBe(false);
  const { out } = await ran(root, []);
  const entries = [...out.matchAll(/ {2}to approve it, add to spec\/approvals\.yaml:\n((?: {4}.*\n)+)/g)].map(
    ([, entry = ""]) =>
      entry
        .replaceAll(/^ {4}/gm, "")
        .replace("<why>", "both are ours")
        .replace("<who>", "Ada")
        .replace("<YYYY-MM-DD>", "2026-01-31"),
  );
  expect(entries).toHaveLength(2);
  write(root, { "spec/approvals.yaml": entries[0] ?? "" });
  expect(await generates()).toBe(false);
  write(root, { "spec/approvals.yaml": entries.join("") });
  expect(await generates()).toBe(true);
  expect((await ran(root, [])).code).toBe(0);
  // the day is a matter of check, and codegen writes the same each day
  expect((await ran(root, [], undefined, "2026-02-01")).code).toBe(1);
  expect((await ran(root, [], codegen, "2026-02-01")).code).toBe(0);
  // another header is another decision
  write(root, {
    "spec/openapi/crm.yaml": edited(crm, "X-Crm-Key", "X-Token"),
    "spec/openapi/billing-eu.overlay.yaml": edited(claiming, "x-crm-KEY", "X-Token"),
  });
  expect(await generates()).toBe(false);
});

test("the ledger takes an operation by its document, by a pattern of it, and by a name that one document has", async () => {
  const root = opened();
  const drop =
    '{ "delete": { "operationId": "dropPayer", "responses": { "204": { "description": "ok" } } } }';
  write(root, {
    "spec/openapi/billing-eu.json": edited(
      billing,
      '"/invoices": {',
      `"/contacts/{id}": ${drop}, "/invoices": {`,
    ),
  });
  const ledger = async (entry: string): Promise<string[]> => {
    write(root, { "spec/rest-only.yaml": `${entry}: not for clients` });
    return (await found(root)).map(({ message }) => message);
  };
  for (const name of ["dropPayer", "billing-eu/dropPayer", "DELETE /contacts/{id}", "billing-eu/*"])
    expect(await ledger(name), name).toEqual([]);
  expect(await ledger("listContacts")).toEqual([
    "DELETE billing-eu/contacts/{id} (billing-eu/dropPayer) has no GraphQL field, and no entry in spec/rest-only.yaml",
    'there is no REST operation "listContacts"; several have that name: billing-eu/listContacts, crm/listContacts',
  ]);
});

test("a pattern of one document takes no operation of another, whatever id a vendor gives it", async () => {
  const root = opened();
  const drop =
    '{ "delete": { "operationId": "crm/dropPayer", "responses": { "204": { "description": "ok" } } } }';
  write(root, {
    "spec/openapi/billing-eu.json": edited(
      billing,
      '"/invoices": {',
      `"/contacts/{id}": ${drop}, "/invoices": {`,
    ),
    "spec/rest-only.yaml": "crm/*: not for clients",
  });
  expect((await found(root)).map(({ message }) => message)).toContain(
    "DELETE billing-eu/contacts/{id} (billing-eu/crm/dropPayer) has no GraphQL field, and no entry in spec/rest-only.yaml",
  );
});

test("explain and propose name an operation with its document, and say which share a name", async () => {
  const root = opened();
  const shared = "; several have that name: billing-eu/listContacts, crm/listContacts";
  const ofInvoices = await ran(root, ["Contact.invoices"], explain);
  expect(ofInvoices.out).toContain("  GET billing-eu/invoices  (billing-eu/listInvoices, BILLING_EU)\n");
  expect((await ran(root, ["listContacts"], explain)).error).toContain(shared);
  expect((await ran(root, ["listContacts"], propose)).error).toContain(shared);
  // the names that the schema has already get that of the document
  write(root, {
    "spec/schema.graphql": schema
      .replace(/ {2}payers.*\n/, "")
      .replace("payer: Payer!", "")
      .replace(/type Payer[^}]*}/, ""),
    "spec/operations/front.graphql": "",
  });
  const { out } = await ran(root, ["billing-eu/listContacts"], propose);
  expect(out).toBe(`extend type Query {
  billingEuListContacts: [BillingEuContact!]
    @rest(operation: "billing-eu/listContacts")
}

type BillingEuContact {
  number: Int!
}`);
});

test("a path of one document continues no path of another: propose prints a field of the root, and no link", async () => {
  const root = opened();
  const [, get] = /"\/contacts": \{\s*"get": (\{.*?\n {6}\})/s.exec(billing) ?? [];
  const notes = `{ "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }], "get": ${get?.replace("listContacts", "listNotes")} }`;
  write(root, {
    "spec/openapi/billing-eu.json": edited(
      billing,
      '"/invoices": {',
      `"/contacts/{id}/notes": ${notes}, "/invoices": {`,
    ),
    "spec/schema.graphql": schema.replace(/type Mutation[^}]*}/, ""),
  });
  const { code, out } = await ran(root, ["listNotes"], propose);
  expect([code, out]).toEqual([0, expect.stringMatching(/^extend type Query \{\n {2}notes\(/)]);
});

test("the one document moves into the folder under a name: each operation stays, and is of another product", async () => {
  const root = repository();
  mkdirSync(join(root, "spec/openapi"));
  renameSync(join(root, "spec/openapi.yaml"), join(root, "spec/openapi/depot.yaml"));
  const findings = await found(root, "--base", "HEAD");
  expect(new Set(findings.map(({ rule, change }) => `${change} ${rule}`))).toEqual(
    new Set(["dangerous rest-product-changed"]),
  );
});
