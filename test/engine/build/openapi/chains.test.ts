/** Chains of `$ref`s: each is read to its end, at any length and in linear time, and a circle is a finding. */
import { expect, test } from "vitest";
import { emitRestTypes } from "../../../../src/engine/build/codegen/rest-types/emit-rest-types.ts";
import { documentFaults } from "../../../../src/engine/build/openapi/document-faults.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { processorMs } from "../../../support/cost.ts";
import { restDocument } from "./rest-document.ts";

/** A document whose response is the first of `length` schemas, each a reference to the next one; `last` is the last. */
function chained(length: number, last: unknown, version = "3.0.3", files: Record<string, string> = {}) {
  const schemas = Array.from({ length }, (_, index) => [
    `S${index}`,
    index === length - 1 ? last : { $ref: `#/components/schemas/S${index + 1}` },
  ]);
  return documentOf(Object.fromEntries(schemas), version, files);
}

function documentOf(schemas: Record<string, unknown>, version: string, files: Record<string, string> = {}) {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
  const value = {
    openapi: version,
    info: { title: "t", version: "1" },
    paths: {
      "/thing": { get: { operationId: "get", responses: { 200: { description: "a thing", content } } } },
    },
    components: { schemas },
  };
  const document = restDocument(value, files);
  const operations = [...readOperations(document).values()];
  const [shape] = operations.flatMap(({ successes }) => successes.map((success) => success.shape));
  return { document, operations, shape };
}

const thing = { type: "object", required: ["id"], properties: { id: { type: "string" } } };

test.each(["3.0.3", "3.1.0"])(
  "a chain of 100,000 references is read, and has no fault (OpenAPI %s)",
  (version) => {
    const { document, operations, shape } = chained(100_000, thing, version);
    expect([...(shape?.properties.keys() ?? [])]).toEqual(["id"]);
    expect(documentFaults(document, operations)).toEqual([]);
  },
);

test.each([1, 2, 100_000])("a circle of %i references is one finding", (length) => {
  const { document, operations } = chained(length, { $ref: "#/components/schemas/S0" });
  expect(documentFaults(document, operations)).toMatchObject([
    { rule: "ref-circular", message: expect.stringContaining("closes a cycle") },
  ]);
});

test("types are made of long chains: four times as many references cost about four times as much", async () => {
  const cost = (length: number): Promise<number> =>
    processorMs(async () => {
      const { document, operations } = chained(length, thing);
      expect(await emitRestTypes(document, operations)).toContain("id: string");
    });
  await cost(100); // compiles
  const least = async (length: number): Promise<number> => Math.min(await cost(length), await cost(length));
  expect((await least(4_000)) / Math.max(await least(1_000), 40)).toBeLessThan(8);
});

test("a chain ends in another file, below a name with a slash and a space", async () => {
  const other = JSON.stringify({ "a/b c": { $ref: "#/end" }, end: thing });
  const { document, operations, shape } = chained(3, { $ref: "parts/x.json#/a~1b%20c" }, "3.0.3", {
    "parts/x.json": other,
  });
  expect([...(shape?.properties.keys() ?? [])]).toEqual(["id"]);
  expect(await emitRestTypes(document, operations)).toContain("id: string");
});

test("statements beside a reference in the middle of a chain count from OpenAPI 3.1 on", () => {
  const schemas = {
    S0: { $ref: "#/components/schemas/S1" },
    S1: { $ref: "#/components/schemas/S2", required: ["name"] },
    S2: { $ref: "#/components/schemas/S3" },
    S3: { ...thing, properties: { id: { type: "string" }, name: { type: "string" } } },
  };
  const required = (version: string): string[] =>
    [...(documentOf(schemas, version).shape?.properties.values() ?? [])]
      .filter((property) => property.required)
      .map(({ name }) => name);
  expect(required("3.1.0")).toEqual(["id", "name"]);
  expect(required("3.0.3")).toEqual(["id"]);
});
