/** The command as CI runs it: exit codes, formats, the base, approvals, the ledger, propose and explain. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { run as explain } from "../../src/check/explain-main.ts";
import { run as propose } from "../../src/check/propose-main.ts";
import reportSchema from "../../src/check/report.schema.json" with { type: "json" };
import type { Finding, Report } from "../../src/check/report.ts";
import { generate } from "../../src/codegen/generate.ts";
import { run as codegen } from "../../src/codegen/main.ts";
import { depotSpec, project, ran, repository, write } from "./run.ts";

const openapi = readFileSync(join(depotSpec, "openapi.yaml"), "utf8");
const schema = readFileSync(join(depotSpec, "schema.graphql"), "utf8");
const silent = { out: () => undefined, error: () => undefined };
const edited = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`there is no ${from}`);
  return text.replace(from, to);
};

const report = async (root: string, ...argv: string[]): Promise<Report> =>
  JSON.parse((await ran(root, ["--format", "json", ...argv])).out) as Report;

let isValid: (value: unknown) => boolean;
beforeAll(() => {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  isValid = ajv.compile(reportSchema);
});

test("a clean project with fresh files exits 0; a stale, a missing and a surplus file are all named", async () => {
  const root = project();
  const before = await report(root);
  expect(before.findings.map(({ rule, coordinate }) => `${rule} ${coordinate}`)).toEqual(
    [...(await generate(root)).keys()].sort().map((path) => `generated-missing ${path}`),
  );
  await codegen([], { root, ...silent });
  expect((await ran(root, [])).code).toBe(0);
  write(root, { "generated/resolvers.ts": "// edited\n", "generated/old.ts": "" });
  execFileSync("rm", [join(root, "generated/operations.ts")]);
  const { findings } = await report(root);
  expect(findings.map(({ rule, coordinate }) => `${rule} ${coordinate}`)).toEqual([
    "generated-missing generated/operations.ts",
    "generated-changed generated/resolvers.ts",
    "generated-surplus generated/old.ts",
  ]);
}, 60_000);

test("a removed property breaks its field and the saved operation that selects it, at both files' lines", async () => {
  const root = repository();
  write(root, { "spec/openapi.yaml": edited(openapi, "        company:\n          type: string\n", "") });
  const result = await report(root, "--base", "HEAD");
  const [proof, change] = result.findings;
  expect(proof).toMatchObject({ rule: "property-missing", coordinate: "Courier.company", severity: "error" });
  expect(proof?.places.map(({ file }) => file)).toEqual(["spec/schema.graphql", "spec/openapi.yaml"]);
  expect(change).toMatchObject({
    rule: "rest-property-removed",
    change: "breaking",
    coordinate: "Courier.company",
  });
  expect(change?.operations).toMatchObject([{ name: "Depot", verdict: "broken" }]);
  expect(verdicts(result)).toEqual(["Depot broken", "Register untouched"]);
  expect(isValid(result)).toBe(true);
});

const verdicts = ({ operations }: Pick<Report, "operations">): string[] =>
  operations.map(({ name, verdict }) => `${name} ${verdict}`);

test("an operation that is named like what is gone is untouched", async () => {
  const root = repository({
    "spec/schema.graphql": edited(schema, "enum Currency {", "input Old {\n  a: Int\n}\n\nenum Currency {"),
  });
  write(root, {
    "spec/schema.graphql": schema,
    "spec/operations/old.graphql": "query Old { parcels(warehouseId: 1) { page { total } } }",
  });
  const result = await report(root, "--base", "HEAD");
  expect(result.findings.filter(({ stage }) => stage === "changes")).toMatchObject([
    { change: "breaking", coordinate: "Old", operations: [] },
  ]);
  expect(verdicts(result)).toEqual(["Depot untouched", "Register untouched", "Old untouched"]);
});

test("an error in a fragment breaks the operations that spread it, however deep", async () => {
  const result = await report(
    project({
      "spec/operations/pages.graphql": `
        query Pages { parcels(warehouseId: 1) { ...Outer } }
        query Totals { parcels(warehouseId: 1) { page { total } } }
        fragment Outer on ParcelPage { page { ...Inner } }
        fragment Inner on PageInfo { gone }
      `,
    }),
  );
  expect(result.findings).toMatchObject([
    {
      rule: "saved-operation-invalid",
      coordinate: "Inner",
      operations: [{ name: "Pages", verdict: "broken" }],
    },
  ]);
  expect(verdicts(result)).toEqual([
    "Depot untouched",
    "Register untouched",
    "Pages broken",
    "Totals untouched",
  ]);
});

test("a saved operation shows its own cost beside an invalid one, and none where nobody can know it", async () => {
  const valid = "query Totals { parcels(warehouseId: 1) { page { total } } }";
  const files = {
    "spec/operations/two.graphql": `${valid} query Wrong { parcels(warehouseId: 1) { gone } }`,
  };
  const result = await report(project(files));
  expect(isValid(result)).toBe(true);
  expect(result.operations.slice(2).map(({ calls }) => calls)).toEqual([{ typical: 1, worst: 1 }, undefined]);
  const { out } = await ran(project({ "spec/schema.graphql": `${schema} type Parcel { id: ID }` }), []);
  expect(out).toMatch(/untouched Depot +spec\/operations\/depot\.graphql:1$/m);
});

test("saved operations are read in folders of any depth, on disk and at the base", async () => {
  const root = repository({
    "spec/operations/teams/a/z.graphql":
      "query Z($id: Int!) { parcels(warehouseId: $id, region: 1) { page { total } } }",
  });
  const { findings, operations } = await report(root, "--base", "HEAD");
  expect(findings).toMatchObject([
    { rule: "saved-operation-invalid", places: [{ file: "spec/operations/teams/a/z.graphql" }] },
  ]);
  expect(operations.map(({ file }) => file)).toContain("spec/operations/teams/a/z.graphql");
});

test("a new required property of a body rests on every field that sends the body", async () => {
  const root = repository();
  const now = edited(openapi, "required: [grams]", "required: [grams, locale]");
  write(root, {
    "spec/openapi.yaml": edited(
      now,
      "                grams:\n",
      "                locale: { type: string }\n                grams:\n",
    ),
  });
  const { changes } = await report(root, "--base", "HEAD");
  expect(changes).toMatchObject([
    { rule: "rest-property-added", class: "breaking", coordinates: ["Mutation.weighParcel"] },
  ]);
});

test("a number that becomes an integer is one change, whatever their formats", async () => {
  const capacity = (type: string, format: string): string =>
    edited(
      openapi,
      "capacity_m3:\n              type: number\n",
      `capacity_m3:\n              type: ${type}\n              format: ${format}\n`,
    );
  const root = repository({ "spec/openapi.yaml": capacity("number", "double") });
  write(root, { "spec/openapi.yaml": capacity("integer", "int32") });
  const { changes } = await report(root, "--base", "HEAD");
  expect(changes).toMatchObject([{ rule: "rest-type-changed", class: "safe" }]);
});

test("two saved operations of one name are one finding", async () => {
  const query = "query Same($id: Int!) { parcels(warehouseId: $id) { page { total } } }\n";
  const { findings } = await report(project({ "spec/operations/same.graphql": query + query }));
  expect(findings).toMatchObject([
    { rule: "saved-operation-invalid", message: 'There can be only one operation named "Same".' },
  ]);
});

test.each([
  ["[in-transit, delivered]", "States untouched, OfState broken", "Query.parcels(states:)"],
  ["[in-transit, delivered, lost, returned]", "States broken, OfState untouched", "Parcel.state"],
])(
  "an enum that is now %s touches those who read it or those who send it",
  async (now, expected, coordinate) => {
    const root = repository();
    write(root, {
      "spec/openapi.yaml": edited(openapi, "[in-transit, delivered, lost]", now),
      "spec/operations/states.graphql": `
      query States($id: Int!) { parcels(warehouseId: $id) { parcels { state } } }
      query OfState($id: Int!, $states: [ParcelState!]) { parcels(warehouseId: $id, states: $states) { page { total } } }`,
    });
    const { findings, operations } = await report(root, "--base", "HEAD");
    expect(findings.find(({ rule }) => rule === "rest-enum-changed")?.coordinate).toBe(coordinate);
    const own = operations.filter(({ file }) => file.endsWith("states.graphql"));
    expect(own.map(({ name, verdict }) => `${name} ${verdict}`).join(", ")).toBe(expected);
  },
);

test("every format counts the same findings, and several can be written at once", async () => {
  const root = repository();
  write(root, {
    "spec/openapi.yaml": edited(
      openapi,
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
});

test("an approval settles a change, an expired one fails, an unused one is a note", async () => {
  const root = repository();
  const settled = async (): Promise<Report> => {
    await codegen([], { root, ...silent });
    return report(root, "--base", "HEAD");
  };
  write(root, {
    "spec/openapi.yaml": edited(
      openapi,
      "        phone:\n          type: string\n",
      "        phone:\n          type: string\n          nullable: true\n",
    ),
  });
  const before = await settled();
  const [finding] = before.findings as [Finding];
  expect(before.findings).toMatchObject([{ rule: "rest-nullable-changed", coordinate: "Courier.phone" }]);
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
    "rest-nullable-changed error",
    "approval-expired error",
    "approval-unused note",
  ]);
}, 60_000);

test("an approval settles the one change that it was given for, whatever its values are", async () => {
  const base = "token: String @";
  const withToken = (value: string): string => edited(schema, base, `token: String = ${value} @`);
  const root = repository({
    "spec/schema.graphql": `${withToken('"name asc"')}\nunion Load = Goods | Letter | Parcel\n`,
  });
  const fingerprints = async (value: string, members: string): Promise<(string | undefined)[]> => {
    write(root, { "spec/schema.graphql": `${withToken(value)}\nunion Load = ${members}\n` });
    const { findings } = await report(root, "--base", "HEAD");
    return findings.flatMap(({ rule, fingerprint }) => (rule.startsWith("sdl-") ? [fingerprint] : []));
  };
  const all = [
    ...(await fingerprints('"name desc"', "Goods | Letter | Parcel")),
    ...(await fingerprints('"age asc"', "Goods | Letter | Parcel")),
    ...(await fingerprints('"name asc"', "Goods")),
  ];
  expect(all).toHaveLength(4);
  expect(new Set(all).size).toBe(4);
}, 60_000);

test("an error of the mapping has no fingerprint: nothing approves it away", async () => {
  const { findings } = await report(
    project({ "spec/schema.graphql": edited(schema, "revision: Float", "revision: Int") }),
  );
  expect(findings).toMatchObject([{ rule: "output-int64", coordinate: "Parcel.revision" }]);
  expect(findings[0]).not.toHaveProperty("fingerprint");
});

test("a credential that never travels to REST is one finding for all fields, until it is approved", async () => {
  const session = "security: [{ session: [] }]\ncomponents:\n  securitySchemes:\n";
  const scheme = "    session: { type: apiKey, in: cookie, name: SID }";
  const root = project({
    "spec/openapi.yaml": edited(openapi, "\ncomponents:", `\n${session}${scheme}`),
  });
  expect(await codegen([], { root, ...silent })).toBe(0);
  const { findings } = await report(root);
  expect(findings).toMatchObject([{ rule: "credential-unsent", severity: "warning", stage: "proof" }]);
  const { fingerprint, coordinate, rule } = findings[0] as Finding;
  write(root, {
    "spec/approvals.yaml": `- { fingerprint: "${fingerprint}", rule: ${rule}, coordinate: "${coordinate}", reason: a proxy adds it, author: ops, expires: "2026-02-01" }\n`,
  });
  expect((await ran(root, [])).code).toBe(0);
}, 60_000);

test("a base that cannot be read is never no changes", async () => {
  const root = repository({ "spec/openapi.yaml": "swagger: '2.0'" });
  write(root, { "spec/openapi.yaml": openapi });
  const { code, error } = await ran(root, ["--base", "HEAD"]);
  expect(code).toBe(3);
  expect(error).toMatch(/^the spec at HEAD cannot be read: spec\/openapi\.yaml:1:1: is Swagger 2\.0/);
});

test("a run without a report is annotated, and leaves no older report behind", async () => {
  const root = project({ "spec/openapi.yaml": "openapi: [", "r.json": "{}" });
  const { code, out } = await ran(root, ["--format", "github", "--format", "json=r.json"]);
  expect(code).toBe(3);
  expect(out).toMatch(/^::error file=spec\/openapi\.yaml,line=1,col=\d+,title=check failed::/);
  expect(existsSync(join(root, "r.json"))).toBe(false);
});

test("a REST change that no field rests on is reported and fails nothing", async () => {
  const root = repository();
  await codegen([], { root, ...silent });
  write(root, {
    "spec/openapi.yaml": edited(
      openapi,
      "trace:\n                        type: string",
      "trace:\n                        type: integer",
    ),
  });
  await codegen([], { root, ...silent });
  const result = await report(root, "--base", "HEAD");
  expect(result.summary).toMatchObject({ unapproved: 0, changes: { breaking: 1 } });
  expect(result.changes.find(({ rule }) => rule === "rest-type-changed")?.coordinates).toEqual([]);
}, 60_000);

test("a binding that reads elsewhere is told as the schema's own params say it", async () => {
  const root = repository();
  write(root, { "spec/schema.graphql": edited(schema, 'value: ["in-transit"]', 'value: ["lost"]') });
  const { findings } = await report(root, "--base", "HEAD");
  const inputs = (state: string): string =>
    `parcels_of_warehouse.result(warehouse_id: parent.warehouse_id, state: constant ["${state}"], page_size: args.size)`;
  expect(findings.find(({ rule }) => rule === "binding-changed")?.message).toBe(
    `Warehouse.parcels is bound otherwise now: ${inputs("lost")}, it was ${inputs("in-transit")}`,
  );
}, 60_000);

test("an operation that is neither bound nor in the ledger is a finding", async () => {
  const { findings } = await report(project({ "spec/rest-only.yaml": "" }));
  expect(findings.filter(({ stage }) => stage === "ledger")).toMatchObject([
    { rule: "operation-undecided", coordinate: "audit_log" },
  ]);
});

test("what propose prints passes check once it is pasted", async () => {
  const root = project({
    "spec/rest-only.yaml": "",
    "spec/schema.graphql": edited(schema, "type Mutation {", "type Mutation {\n"),
  });
  const operation = `
  /api/drivers/{driver-id}:
    patch:
      operationId: driver-update
      parameters:
        - { name: driver-id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: X-Reason, in: header, schema: { type: string, enum: [fired, "true"] } }
      requestBody:
        content: { application/json: { schema: { type: object, required: [full name], properties: { full name: { type: string }, address: { $ref: '#/components/schemas/Address' } } } } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { type: object, required: [warehouse, tags], properties: { warehouse: { $ref: '#/components/schemas/Warehouse' }, tags: { type: array, items: { type: string, nullable: true } }, any: {} } } } } }
    delete:
      operationId: driver-delete
      parameters: [{ name: driver-id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: gone } }
  /api/search:
    get:
      operationId: search
      responses:
        '200': { description: ok, content: { application/json: { schema: { type: object, required: [hits, loads, loose], properties: { hits: { type: array, items: { $ref: '#/components/schemas/Item' } }, loads: { type: array, items: { $ref: '#/components/schemas/Content' } }, loose: { oneOf: [{ $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Shelf' }] } } } } } }
`;
  const schemas = `
components:
  schemas:
    Item: { oneOf: [{ $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Shelf' }, { $ref: '#/components/schemas/Empty' }, { type: object, required: [kind, code], properties: { kind: { type: string, enum: [slip] }, code: { type: string } } }], discriminator: { propertyName: kind, mapping: { box: Box, shelf: Shelf, empty: Empty, slip: Slip } } }
    Box: { type: object, required: [kind, id], properties: { kind: { type: string, enum: [box] }, id: { type: string }, inside: { type: array, items: { $ref: '#/components/schemas/Item' } } } }
    Shelf: { type: object, required: [kind, id], properties: { kind: { type: string, enum: [shelf] }, id: { type: string }, rows: { type: integer, format: int32 } } }
    Empty: { type: object, required: [kind], properties: { kind: { type: string } } }
    Slip: { type: object }`;
  write(root, {
    "spec/openapi.yaml": edited(openapi, "\ncomponents:\n  schemas:", operation + schemas.slice(1)),
  });
  const { code, out } = await ran(root, ["audit_log", "driver-update", "driver-delete", "search"], propose);
  expect(code).toBe(0);
  expect(out).toContain("  hits: [Item!]!\n  loads: [Content!]!\n");
  expect(out).toContain("union Item = Box | Shelf | Empty | Slip\n");
  expect(out).toContain("# Only what REST's Box, Shelf share: ");
  expect(out).toMatch(/\): Boolean\n {4}@rest\(operation: "driver-delete"\)/);
  write(root, {
    "spec/schema.graphql": `${schema}\n${out.replace(/\n+"Any JSON value\."\nscalar JSON(?=[\s\S]*scalar JSON)/, "")}\n`,
  });
  await codegen([], { root, out: () => undefined, error: console.error });
  const result = await report(root);
  expect(result.findings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
}, 60_000);

test("propose refuses an operation that no field can send", async () => {
  const operation = `
  /api/drivers:
    options:
      operationId: driver-options
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object } } } } }
`;
  const root = project({
    "spec/openapi.yaml": edited(openapi, "\ncomponents:", `${operation}components:`),
  });
  const { code, error } = await ran(root, ["driver-options"], propose);
  expect({ code, error }).toEqual({
    code: 2,
    error: "propose driver-options: no field can send OPTIONS",
  });
});

test("explain and propose end like check where the mapping is not proved, and say what to do", async () => {
  const broken = edited(schema, 'operation: "couriers_by_code"', 'operation: "couriers_by_cod"');
  const root = project({ "spec/schema.graphql": broken });
  for (const command of [explain, propose]) {
    const { code, error } = await ran(root, ["Parcel.courier"], command);
    expect(code).toBe(1);
    expect(error).toMatch(
      /^spec\/schema\.graphql:\d+:\d+ .*\n {2}operation-unknown at Parcel\.courier: .+\n {2}name an operationId/,
    );
    expect(await ran(root, [], command)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^usage: npm run /),
    });
  }
});

test("propose needs no saved operation", async () => {
  const root = project({ "spec/operations/Broken.graphql": "query Broken { nothing }" });
  expect(await ran(root, ["audit_log"], propose)).toMatchObject({ code: 0 });
});

test("explain shows the calls of a field and of a saved operation, and the nearest name", async () => {
  const field = await ran(project(), ["Parcel.courier"], explain);
  expect(field.out).toContain("GET /api/couriers  (couriers_by_code, COURIERS)");
  expect(field.out).toContain("query code: parent.courier_code, of all parents, required");
  expect((await ran(project(), ["Depot"], explain)).out).toContain(
    "query Depot (spec/operations/depot.graphql:1)",
  );
  const wrong = await ran(project(), ["Parcel.curier"], explain);
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.error).toContain('did you mean "Parcel.courier"?');
});

test("the same spec in another folder and time zone gives the same generated files and reports", async () => {
  const zone = process.env.TZ;
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const texts: string[] = [];
  for (const zone of ["Pacific/Kiritimati", "America/Los_Angeles"]) {
    process.env.TZ = zone;
    const root = repository();
    const generated = [...(await generate(root))].flat().join("\n");
    write(root, { "spec/openapi.yaml": edited(openapi, "enum: [EUR, USD]", "enum: [EUR, GBP]") });
    const argv = ["--base", "HEAD", "--format", "json", "--format", "markdown=m", "--format", "text=t"];
    const { out } = await ran(root, argv);
    texts.push(
      generated + out + readFileSync(join(root, "m"), "utf8") + readFileSync(join(root, "t"), "utf8"),
    );
  }
  expect(texts[0]).toBe(texts[1]);
}, 60_000);
