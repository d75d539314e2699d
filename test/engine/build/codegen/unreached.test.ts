/** What no field reaches may be anything: it changes nothing that is generated. */
import { expect, test } from "vitest";
import { generatedFiles } from "./type-check.ts";

const schema = `type Query { thing: Thing @rest(operation: "getThing") }
type Thing { name: String }`;

const object = (properties: object): object => ({ type: "object", properties });
const json = (schema: object): object => ({
  200: { description: "ok", content: { "application/json": { schema } } },
});

/** `other` is an operation that no field binds, with a schema of its own. */
const documentWith = (other: unknown, unused: unknown): string =>
  JSON.stringify({
    openapi: "3.0.3",
    info: { title: "t", version: "1" },
    paths: {
      "/thing": {
        get: { operationId: "getThing", responses: json({ $ref: "#/components/schemas/Thing" }) },
        delete: other,
      },
      "/other": { get: other },
    },
    components: { schemas: { Thing: object({ name: { type: "string" } }), Other: unused } },
  });

const oddities: unknown[] = [
  null,
  5,
  "x",
  true,
  [],
  {},
  [null],
  { $ref: 5 },
  { $ref: "#/nowhere" },
  { $ref: "https://x.example/y" },
  { type: 5 },
  { properties: null },
  { properties: [] },
  { required: true },
  { enum: "a" },
  { items: 3 },
  { allOf: {} },
  { allOf: [null] },
  { oneOf: [5] },
  { discriminator: 5, oneOf: [{}] },
  object({ valueOf: { type: "string" } }),
  { discriminator: { propertyName: "x", mapping: null } },
];

test("examples of a bound operation may refer to what the types leave out, or to nothing", async () => {
  const expected = await generatedFiles(schema, documentWith(undefined, {}));
  for (const reference of ["#/components/examples/one", "#/nowhere"]) {
    const document = JSON.parse(documentWith(undefined, {}));
    document.components.examples = { one: { value: { name: "a" } } };
    document.paths["/thing"].get.responses[200].content["application/json"].examples = {
      default: { $ref: reference },
    };
    const found = await generatedFiles(schema, JSON.stringify(document));
    expect(found).toEqual(expected);
  }
});

test("odd schemas, parameters, bodies and responses of operations that are not bound", async () => {
  const expected = await generatedFiles(schema, documentWith(undefined, {}));
  for (const odd of oddities) {
    for (const other of [
      odd,
      { responses: odd },
      { operationId: "getOther", parameters: [odd], responses: json({ $ref: "#/components/schemas/Other" }) },
      { operationId: "getOther", requestBody: odd, responses: { 200: odd } },
    ])
      expect(await generatedFiles(schema, documentWith(other, odd)), JSON.stringify(other)).toEqual(expected);
  }
}, 120_000);
