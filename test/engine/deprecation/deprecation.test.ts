/** What REST deprecates, from the document to clients: codegen, `check --base`, `--usage`, `propose`, the headers of answers. */
import { buildSchema, parse, printSchema, validateSchema } from "graphql";
import { describe, expect, test } from "vitest";
import { examine } from "../../../src/engine/build/check/check.ts";
import { emitIndex } from "../../../src/engine/build/codegen/emit-index.ts";
import { emitSchema } from "../../../src/engine/build/codegen/emit-schema.ts";
import type { ValidProject } from "../../../src/engine/build/project/project.ts";
import { Proposal } from "../../../src/engine/build/propose/propose.ts";
import { deprecationHeaders } from "../../../src/engine/runtime/graphql/deprecation-headers.ts";
import { validProject } from "../build/check/mutations/pair.ts";

const openapi = `
openapi: 3.1.0
info: { title: t, version: "1" }
security: []
paths:
  /old:
    get:
      operationId: listOld
      deprecated: true
      x-ms-deprecation: { date: 2026-11-01, removalDate: 2027-06-30 }
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Old" } } } } } }
  /things:
    get:
      operationId: listThings
      parameters:
        - { name: q, in: query, schema: { type: string } }
        - { name: text, in: query, deprecated: true, x-sunset: "2027-01-31", schema: { type: string } }
        - { name: must, in: query, required: true, deprecated: true, schema: { type: string } }
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
components:
  schemas:
    Old: { type: object, required: [id], properties: { id: { type: string } } }
    Thing: { type: object, required: [id], properties: { id: { type: string }, label: { type: string, deprecated: true } } }
`;
const schema = `
type Query {
  old: [Old!] @rest(operation: "listOld") @deprecated(reason: "Use things.")
  things(q: String, text: String @deprecated, must: String!): [Thing!] @rest(operation: "listThings")
}
type Old { id: ID! }
type Thing { id: ID! label: String @deprecated }
`;
const without = schema.replace(/^ {2}old.*\n/m, "").replace(/^type Old.*\n/m, "");

function boundOf(sdl: string, more: readonly [string, string][] = []): ValidProject {
  return validProject(new Map([["schema.graphql", sdl], ["openapi.yaml", openapi], ...more]));
}

test("what says so has no finding, and codegen adds the day on which it ends", () => {
  const { model, diagnostics } = boundOf(schema);
  expect(diagnostics).toEqual([]);
  const printed = emitSchema(model);
  expect(printed).toContain('@deprecated(reason: "Use things. (ends on 2027-06-30)")');
  expect(printed).toContain('text: String @deprecated(reason: "No longer supported (ends on 2027-01-31)")');
  expect(printed).toMatch(/^ {2}label: String @deprecated$/m);
  expect(emitIndex(model, false)).toContain('"Query.old": {"since":"2026-11-01","sunset":"2027-06-30"}');
});

test.each([
  ["2027-06-29", ["sdl-field-removed breaking"], 1],
  ["2027-06-30", ["sdl-field-removed safe", "sdl-type-removed safe"], 0],
])("a removal on %s: %s", (today, changes, findings) => {
  const report = examine(boundOf(without), boundOf(schema), today);
  expect(report.changes.map(({ rule, class: kind }) => `${rule} ${kind}`).sort()).toEqual(changes);
  expect(report.findings.filter(({ stage }) => stage === "changes")).toHaveLength(findings);
});

test("with usage a note says which operations and clients still ask for it", () => {
  const saved: [string, string][] = [
    ["operations/a.graphql", "query Asks { old { id } }"],
    ["operations/b.graphql", "query Idle { old { id } }"],
  ];
  const head = boundOf(schema, saved);
  const usage = {
    ...{ source: "m", since: "2026-10-01", isIncomplete: false },
    operations: new Map([["Asks", new Set(["web 1.4.0"])]]),
    ...{ fields: new Map(), lastDays: new Map<string, string>() },
  };
  const { findings } = examine(head, head, "2026-11-25", { usage });
  expect(findings.filter(({ rule }) => rule === "deprecation-used")).toMatchObject([
    {
      severity: "note",
      coordinate: "Query.old",
      message: expect.stringMatching(/since 2026-10-01: Asks \(web 1\.4\.0\)$/),
      places: [{ role: "schema", file: "spec/schema.graphql" }],
    },
  ]);
  const fields = new Map([["Query.old", new Set(["crm"])]]);
  const lastDays = new Map([
    ["Asks", "2026-11-20"],
    ["Query.old", "2026-11-24"],
  ]);
  const known = examine(head, head, "2026-11-25", { usage: { ...usage, fields, lastDays } });
  expect(known.findings.find(({ rule }) => rule === "deprecation-used")?.message).toMatch(
    /: Asks \(web 1\.4\.0, last on 2026-11-20\), operations that are not saved \(crm, last on 2026-11-24\)$/,
  );
});

test("propose carries it over, except where clients must send a value", () => {
  const proposal = new Proposal(boundOf("type Query { unbound: Boolean }").model);
  proposal.add("listOld");
  proposal.add("listThings");
  const sdl = proposal.sdl("type");
  expect(sdl).toMatch(/@rest\(operation: "listOld"\) @deprecated\(reason: "/);
  expect(sdl).toMatch(/^ {2}label: String @deprecated\(/m);
  expect(sdl).toMatch(/^ {4}text: String @deprecated\(/m);
  expect(sdl).toMatch(/^ {4}must: String!$/m);
  expect(boundOf(sdl).diagnostics.filter(({ rule }) => rule === "deprecation-unsaid")).toEqual([]);
});

describe("the headers of an answer", () => {
  const { model } = boundOf(schema);
  const served = buildSchema(emitSchema(model));
  expect(validateSchema(served), printSchema(served)).toEqual([]);
  const headersOf = deprecationHeaders(served, Object.fromEntries(model.deprecations));
  const of = (text: string) => Object.fromEntries(headersOf?.(parse(text)) ?? []);

  test.each([
    ['{ things(must: "") { id } }', {}],
    // 2026-11-01T00:00:00Z in seconds, and as an HTTP-date
    ["{ old { id } }", { deprecation: "@1793491200", sunset: "Wed, 30 Jun 2027 00:00:00 GMT" }],
    [
      '{ ...F } fragment F on Query { things(must: "", text: "a") { id } }',
      { sunset: "Sun, 31 Jan 2027 00:00:00 GMT" },
    ],
    // the earliest of both
    [
      '{ old { id } things(must: "", text: "a") { id } }',
      { deprecation: "@1793491200", sunset: "Sun, 31 Jan 2027 00:00:00 GMT" },
    ],
    // no day is known, so none is told
    ['{ things(must: "") { label } }', {}],
  ])("%s: %o", (text, headers) => expect(of(text)).toEqual(headers));

  test("without anything deprecated no document is looked at", () => {
    expect(deprecationHeaders(served, {})).toBeUndefined();
  });
});
