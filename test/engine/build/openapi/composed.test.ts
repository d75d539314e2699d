/** Schemas that are composed of schemas: a document of a few lines must not take a machine's memory. */
import { expect, test } from "vitest";
import type { RestNode } from "../../../../src/engine/build/openapi/document.ts";
import { shapeAt } from "../../../../src/engine/build/openapi/shapes/read-shape.ts";
import { restDocument } from "./rest-document.ts";

type Compose = (next: object) => object;

/** The shape of the first of `count` schemas, each of which includes the next one. */
function shapeOf(count: number, compose: Compose) {
  const schemas: Record<string, object> = { [`S${count}`]: { type: "object", properties: { id: {} } } };
  for (let index = 1; index < count; index++)
    schemas[`S${index}`] = compose({ $ref: `#/components/schemas/S${index + 1}` });
  const document = restDocument({ openapi: "3.1.0", components: { schemas } });
  const path = ["components", "schemas", "S1"];
  return shapeAt(document, { file: "openapi.yaml", path, value: schemas.S1 } as RestNode);
}

test.each<[name: string, compose: Compose]>([
  ["allOf", (next) => ({ allOf: [next, next] })],
  ["oneOf", (next) => ({ oneOf: [next, next] })],
  ["anyOf with other keywords", (next) => ({ type: "object", anyOf: [next, { allOf: [next] }] })],
])("each includes the next one twice: %s", (_name, compose) => {
  expect([...shapeOf(8, compose).properties.keys()]).toEqual(["id"]);
  expect(() => shapeOf(40, compose)).toThrow(
    "#/components/schemas/S1 is composed of more than 10000 schemas",
  );
});

test("many references to one schema are no composition: each is counted for itself", () => {
  const reference = { $ref: "#/components/schemas/Id", minLength: 1 };
  const references = Array.from({ length: 10_001 }, (_, index) => [`p${index}`, { ...reference }]);
  const schemas = { Id: { type: "string" }, All: { properties: Object.fromEntries(references) } };
  const document = restDocument({ openapi: "3.1.0", components: { schemas } });
  const path = ["components", "schemas", "All"];
  const { properties } = shapeAt(document, { file: "openapi.yaml", path, value: schemas.All });
  expect([...properties.values()].every(({ shape }) => shape.types.has("string"))).toBe(true);
});
