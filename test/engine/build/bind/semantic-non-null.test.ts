/** Which nulls can only be failures: what REST requires and may not send as null. */
import { expect, test } from "vitest";
import { emitSchema } from "../../../../src/engine/build/codegen/emit-schema.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";

const openapi = `
openapi: 3.1.0
info: { title: t, version: "1" }
security: []
paths:
  /things:
    get:
      operationId: listThings
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
        "404": { description: none }
components:
  schemas:
    Thing:
      type: object
      required: [id, sure, nothing, any]
      properties:
        id: { type: string }
        sure: { type: string }
        maybe: { type: string }
        nothing: { type: [string, "null"] }
        any: {}
        parentId: { type: string }
`;
const schema = `
scalar Any
type Query {
  things: [Thing] @rest(operation: "listThings")
  thing(id: ID!): Thing @rest(operation: "getThing")
}
type Thing {
  id: ID!
  sure: String
  maybe: String
  nothing: String
  any: Any
  parent: Thing @rest(operation: "getThing", params: [{ name: "id", from: "parent.parentId" }])
}
`;

test("a null is a failure only where REST requires a value, for certain", () => {
  const { model, diagnostics } = new Project(
    textFiles(
      new Map([
        ["schema.graphql", schema],
        ["openapi.yaml", openapi],
      ]),
    ),
  );
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  // `thing` is null where there is none, and `parent` where a thing has none
  expect([...(model?.semanticNonNull ?? [])]).toEqual(["Query.things", "Thing.sure"]);
  const printed = model ? emitSchema(model) : "";
  expect(printed).toContain("directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION");
  expect(printed).toMatch(/^ {2}sure: String @semanticNonNull$/m);
  expect(printed).toMatch(/^ {2}maybe: String$/m);
});
