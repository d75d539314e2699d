/** The verdicts and costs of saved operations. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import reportSchema from "../../../../src/engine/build/check/report.schema.json" with { type: "json" };
import type { Report } from "../../../../src/engine/build/check/report.ts";
import { stepReport } from "./in-memory.ts";
import { depotOpenapi, depotSchema, edited, project, ran, reportOf, repository } from "./run.ts";

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const isValidReport = ajv.compile(reportSchema);

test("a removed property breaks its field and the saved operation that selects it, at both files' lines", async () => {
  const result = await stepReport(
    {},
    { "spec/openapi.yaml": edited(depotOpenapi, "        company:\n          type: string\n", "") },
  );
  const [proof, ...others] = result.findings;
  expect(others).toEqual([]);
  expect(proof).toMatchObject({
    ...{ rule: "property-missing", coordinate: "Courier.company", severity: "error", change: "breaking" },
    operations: [{ name: "Depot", verdict: "broken" }],
  });
  expect(proof?.places.map(({ role }) => role)).toEqual(["schema", "rest", "base rest"]);
  expect(verdicts(result)).toEqual(["Depot broken", "Register untouched"]);
  expect(isValidReport(result)).toBe(true);
});

test("a broken operation names what breaks it, and not what only affects it", async () => {
  const tagged = "operationId: parcels_of_warehouse\n      tags: ";
  const moved = edited(depotOpenapi, `${tagged}[depots]`, `${tagged}[parcels]`);
  const openapi = edited(moved, "        company:\n          type: string\n", "");
  const { findings, operations } = await stepReport({}, { "spec/openapi.yaml": openapi });
  expect(findings.map(({ rule }) => rule)).toContain("rest-product-changed");
  expect(operations[0]).toMatchObject({ name: "Depot", verdict: "broken", because: ["Courier.company"] });
});

const verdicts = ({ operations }: Pick<Report, "operations">): string[] =>
  operations.map(({ name, verdict }) => `${name} ${verdict}`);

test("what a request requires now breaks the saved operations that leave it out", async () => {
  const parcel = '{ barcode: "12345678", worth: { amount: 1, currency: EUR }, receiver: $receiver }';
  const was = {
    "spec/schema.graphql": edited(
      depotSchema,
      "createParcel(input: ParcelInput!,",
      "createParcel(input: ParcelInput,",
    ),
    "spec/openapi.yaml": edited(depotOpenapi, newParcel(true), newParcel(false)),
    "spec/operations/bare.graphql": `
      mutation Bare { createParcel(token: "t") { barcode } }
      mutation Stateless($receiver: ReceiverInput!) { createParcel(input: ${parcel}, token: "t") { barcode } }
    `,
  };
  const verdictsOf = async (openapi: string): Promise<string[]> =>
    verdicts(await stepReport(was, { "spec/openapi.yaml": openapi }));
  expect(await verdictsOf(depotOpenapi)).toContain("Bare broken");
  const withState = edited(depotOpenapi, "[barcode, worth, receiver]", "[barcode, worth, receiver, state]");
  expect(await verdictsOf(edited(withState, newParcel(true), newParcel(false)))).toContain(
    "Stateless broken",
  );
});

const newParcel = (required: boolean): string => `required: ${required}
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/NewParcel'`;

test("a saved operation with the name of a removed type is untouched", async () => {
  const was = {
    "spec/schema.graphql": edited(
      depotSchema,
      "enum Currency {",
      "input Old {\n  a: Int\n}\n\nenum Currency {",
    ),
  };
  const result = await stepReport(was, {
    "spec/schema.graphql": depotSchema,
    "spec/operations/old.graphql": "query Old { parcels(warehouseId: 1) { page { total } } }",
  });
  expect(result.findings.filter(({ stage }) => stage === "changes")).toMatchObject([
    { change: "breaking", coordinate: "Old", operations: [] },
  ]);
  expect(verdicts(result)).toEqual(["Depot untouched", "Register untouched", "Old untouched"]);
});

test("an error in a fragment breaks the operations that spread it, however deep", async () => {
  const result = await reportOf(
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

test("a valid saved operation shows its cost beside an invalid one; an invalid schema judges none", async () => {
  const valid = "query Totals { parcels(warehouseId: 1) { page { total } } }";
  const files = {
    "spec/operations/two.graphql": `${valid} query Wrong { parcels(warehouseId: 1) { gone } }`,
  };
  const result = await reportOf(project(files));
  expect(isValidReport(result)).toBe(true);
  expect(result.operations.slice(2).map(({ calls }) => calls)).toEqual([{ typical: 1, worst: 1 }, undefined]);
  const told = (await ran(project(files), [])).out;
  expect(told).toMatch(/^ {2}ok {8}Totals {4}\S+ {2}1 REST call$/m);
  expect(told).toMatch(/^saved operations: 1 broken, 0 affected, 3 ok$/m);
  expect(told).not.toContain("untouched");
  const { out } = await ran(project({ "spec/schema.graphql": `${depotSchema} type Parcel { id: ID }` }), []);
  expect(out).toContain("\nimpact: not checked, because the schema is not valid\n");
  expect(out).not.toContain("untouched");
});

test("saved operations are read from nested folders, on disk and at the base", async () => {
  const root = repository({
    "spec/operations/teams/a/z.graphql":
      "query Z($id: Int!) { parcels(warehouseId: $id, region: 1) { page { total } } }",
  });
  const { findings, operations } = await reportOf(root, "--base", "HEAD");
  expect(findings).toMatchObject([
    { rule: "saved-operation-invalid", places: [{ file: "spec/operations/teams/a/z.graphql" }] },
  ]);
  expect(operations.map(({ file }) => file)).toContain("spec/operations/teams/a/z.graphql");
});

test("a text that clients may still send is noted once it is gone, and the run does not fail", async () => {
  const query = (selected: string, name = "Totals") =>
    `query ${name} { parcels(warehouseId: 1) { page { ${selected} } } }`;
  const was = { "spec/operations/totals.graphql": query("total") };
  const notesAfter = async (text: string): Promise<string[]> => {
    const { findings } = await stepReport(was, { "spec/operations/totals.graphql": text });
    return findings
      .filter(({ stage }) => stage === "changes")
      .map(({ severity, message }) => `${severity}: ${message}`);
  };
  expect(await notesAfter(`# Moved.\n${query("total").replaceAll(" ", "  ")}`)).toEqual([]);
  expect(await notesAfter(query("total next"))).toEqual([
    "note: the text of saved operation Totals has changed",
  ]);
  expect(await notesAfter(query("total", "Sums"))).toEqual(["note: saved operation Totals was removed"]);
  expect(await notesAfter("query Totals {")).toEqual([]);
});

test("a file of saved operations without one says so", async () => {
  const { findings } = await reportOf(project({ "spec/operations/none.graphql": "# Later.\n" }));
  expect(findings).toMatchObject([{ rule: "saved-operation-invalid", message: "the file has no operation" }]);
});

test("two saved operations with one name are one finding", async () => {
  const query = "query Same($id: Int!) { parcels(warehouseId: $id) { page { total } } }\n";
  const { findings } = await reportOf(project({ "spec/operations/same.graphql": query + query }));
  expect(findings).toMatchObject([
    { rule: "saved-operation-invalid", message: 'There can be only one operation named "Same".' },
  ]);
});

test.each([
  ["[in-transit, delivered]", "States untouched, OfState broken", "Query.parcels(states:)"],
  ["[in-transit, delivered, lost, returned]", "States broken, OfState untouched", "Parcel.state"],
])(
  "an enum that is now %s impacts the operations that read it or send it",
  async (now, expected, coordinate) => {
    const edits = {
      "spec/openapi.yaml": edited(depotOpenapi, "[in-transit, delivered, lost]", now),
      "spec/operations/states.graphql": `
      query States($id: Int!) { parcels(warehouseId: $id) { parcels { state } } }
      query OfState($id: Int!, $states: [ParcelState!]) { parcels(warehouseId: $id, states: $states) { page { total } } }`,
    };
    const { findings, operations } = await stepReport({}, edits);
    expect(findings.map((each) => each.coordinates)).toEqual([expect.arrayContaining([coordinate])]);
    const own = operations.filter(({ file }) => file.endsWith("states.graphql"));
    expect(own.map(({ name, verdict }) => `${name} ${verdict}`).join(", ")).toBe(expected);
  },
);

test("an enum with one value for another is one finding, for those who read it and those who send it", async () => {
  const openapi = edited(depotOpenapi, "[in-transit, delivered, lost]", "[in-transit, delivered, gone]");
  const { findings } = await stepReport({}, { "spec/openapi.yaml": openapi });
  expect(findings.filter(({ change }) => change)).toMatchObject([
    { coordinates: expect.arrayContaining(["ParcelInput.state", "Query.parcels(states:)", "Parcel.state"]) },
  ]);
});
