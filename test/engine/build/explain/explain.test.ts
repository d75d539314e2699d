/** `npm run explain`: fields, saved operations, wrong names. */
import { expect, test } from "vitest";
import { run as explain } from "../../../../src/engine/build/explain/explain-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { depotOpenapi, depotSchema, edited, project, ran } from "../check/run.ts";

test("explain shows the calls of a field and of a saved operation; a wrong name gets a suggestion", async () => {
  const field = await ran(project(), ["Parcel.courier"], explain);
  expect(field.out).toContain("GET /api/couriers  (couriers_by_code, COURIERS)");
  expect(field.out).toContain("query code: parent.courier_code, of all parents, required");
  expect((await ran(project(), ["Depot"], explain)).out).toContain(
    "query Depot (spec/operations/depot.graphql:1)",
  );
  for (const name of ["couriers_by_code", "GET /api/couriers"])
    expect((await ran(project(), [name], explain)).out).toMatch(/^Parcel\.courier\n {2}GET \/api\/couriers /);
  const unbound = await ran(project(), ["audit_log"], explain);
  expect(unbound).toMatchObject({ code: 2, out: "" });
  expect(unbound.error).toContain("no field is bound to it; npm run propose -- audit_log prints one");
  const wrong = await ran(project(), ["Parcel.curier"], explain);
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.error).toContain('did you mean "Parcel.courier"?');
  const bare = await ran(project(), ["parcels"], explain);
  expect(bare.error).toContain('did you mean "Query.parcels"?');
});

test("explain says that a call carries nothing of its caller", async () => {
  const openapi = edited(
    depotOpenapi,
    "operationId: couriers_by_code",
    "operationId: couriers_by_code\n      security: []",
  );
  const { out } = await ran(project({ "spec/openapi.yaml": openapi }), ["Parcel.courier"], explain);
  expect(out).toContain(
    "  public: the call carries nothing of its caller, and all callers share a public response",
  );
});

test("explain names the deferred part that each call belongs to", async () => {
  const root = project({
    "spec/operations/depot.graphql": `query Deferred($id: Int!, $later: Boolean!) {
  warehouse(id: $id, region: EU_WEST) {
    ... @defer(label: "parcels") {
      name
      parcels(size: 20) { parcels { ... @defer(if: $later) { courier { company } } } }
    }
    ...Manager @defer(if: false)
  }
}
fragment Manager on Warehouse { name }
query Both($id: Int!) {
  warehouse(id: $id, region: EU_WEST) { ... @defer { parcels(size: 20) { page { total } } } parcels(size: 20) { page { next } } }
}`,
  });
  const heads = async (name: string) =>
    (await ran(root, [name], explain)).out.split("\n").filter((line) => /^warehouse/.test(line));
  expect(await heads("Deferred")).toEqual([
    "warehouse  (Query.warehouse)",
    "warehouse.parcels  (Warehouse.parcels), in the deferred part parcels",
    "warehouse.parcels.parcels[].courier  (Parcel.courier), in the deferred part parcels > at line 5",
  ]);
  expect(await heads("Both")).toEqual([
    "warehouse  (Query.warehouse)",
    "warehouse.parcels  (Warehouse.parcels)",
  ]);
  const { out } = await ran(root, ["--format", "mermaid", "Deferred"], explain);
  expect(out).toContain("1 REST call<br/>in the deferred part parcels");
});

test("--format mermaid draws the calls of a saved operation by level, with keys and batches", async () => {
  const { out } = await ran(project(), ["--format", "mermaid", "Depot"], explain);
  expect(out.split("\n")).toEqual([
    "flowchart TD",
    '  subgraph level0["level 1"]',
    '    c0["warehouse<br/>GET /api/warehouses/{warehouse_id}<br/>1 REST call"]',
    "  end",
    '  subgraph level1["level 2"]',
    '    c1["warehouse.parcels<br/>GET /api/warehouses/{warehouse_id}/parcels<br/>1 REST call"]',
    "  end",
    '  subgraph level2["level 3"]',
    '    c2["warehouse.parcels.parcels[].courier<br/>GET /api/couriers<br/>1 REST call, at worst 20"]',
    "  end",
    '  c0 -->|"parent.warehouse_id"| c1',
    '  c1 -->|"parent.courier_code, up to 25 keys per call"| c2',
  ]);
  expect(await ran(project(), ["--format", "mermaid", "depot"], explain)).toMatchObject({
    code: 2,
    error: expect.stringContaining(
      'is not a saved operation, and --format mermaid draws only these; did you mean "Depot"?',
    ),
  });
});

test.each([
  ["", "fetched or shared (the document declares no header for caching)"],
  ["etag: {}, X-Other: {}", "fetched, shared or revalidated (the document declares etag)"],
  ["Cache-Control: {}", "fetched, shared or cached (the document declares Cache-Control)"],
  [
    "Expires: {}, Last-Modified: {}",
    "fetched, shared, cached or revalidated (the document declares Expires, Last-Modified)",
  ],
])("explain tells the sources of a response whose headers are {%s}", async (headers, told) => {
  const described = "description: One warehouse.";
  const openapi = edited(
    depotOpenapi,
    described,
    `${described}
          headers: { ${headers} }`,
  );
  const { out } = await ran(project({ "spec/openapi.yaml": openapi }), ["Query.warehouse"], explain);
  expect(out).toContain(`\n  response: ${told}\n`);
});

test("explain ends with the findings and the exit code of check if the mapping is not proved", async () => {
  const broken = edited(depotSchema, 'operation: "couriers_by_code"', 'operation: "couriers_by_cod"');
  const root = project({ "spec/schema.graphql": broken });
  const { code, error } = await ran(root, ["Parcel.courier"], explain);
  expect(code).toBe(1);
  expect(error).toMatch(
    /^spec\/schema\.graphql:\d+:\d+ .*\n {2}operation-unknown at Parcel\.courier: .+\n(?: {4}.+\n){3,4} {2}→ name an operationId/,
  );
});

test.each([
  ["explain", explain],
  ["propose", propose],
])("%s without an argument names the one that is missing", async (_name, command) => {
  expect(await ran(project({}), [], command)).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^missing required argument '\w+' \(restbound \w+ --help explains\)$/),
  });
});
