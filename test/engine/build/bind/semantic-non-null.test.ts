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
      parameters: [{ name: ids, in: query, schema: { type: array, items: { type: string } } }]
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
    post:
      operationId: addThings
      responses: { "201": { description: ok, content: { application/json: { schema: { type: [array, "null"], items: { $ref: "#/components/schemas/Thing" } } } } } }
    delete:
      operationId: dropThings
      responses: { "204": { description: ok } }
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
      required: [id, sure, nothing, any, tags, gaps, grid, map, ids]
      properties:
        id: { type: string }
        sure: { type: string }
        maybe: { type: string }
        nothing: { type: [string, "null"] }
        any: {}
        parentId: { type: string }
        tags: { type: array, items: { type: string } }
        gaps: { type: array, items: { type: [string, "null"] } }
        whatever: { type: array, items: {} }
        maybeTags: { type: array, items: { type: string } }
        grid: { type: array, items: { type: [array, "null"], items: { type: integer } } }
        map: { type: object, additionalProperties: { type: [string, "null"] } }
        ids: { type: array, items: { type: string } }
`;
const schema = `
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
scalar Any
type Query {
  things: [Thing] @rest(operation: "listThings")
  thing(id: ID!): Thing @rest(operation: "getThing")
}
type Mutation {
  addThings: [Thing] @rest(operation: "addThings")
  dropThings: [String] @rest(operation: "dropThings")
}
type Thing {
  id: ID!
  sure: String
  maybe: String
  nothing: String
  any: Any
  tags: [String]
  gaps: [String]
  whatever: [Any]
  maybeTags: [String]
  grid: [[Int]]!
  map: [Entry] @restEntries
  friends: [Thing] @rest(operation: "listThings", params: [{ name: "ids", from: "parent.ids" }], batchBy: "id")
  parent: Thing @rest(operation: "getThing", params: [{ name: "id", from: "parent.parentId" }])
}
type Entry {
  key: String
  value: String
}
`;

function bindThings(sdl = schema) {
  const files = new Map([
    ["schema.graphql", sdl],
    ["openapi.yaml", openapi],
  ]);
  const { model, diagnostics } = new Project(textFiles(files));
  return { model, errors: diagnostics.filter(({ severity }) => severity === "error") };
}

test("a null is a failure only where REST requires a value, at each level of a list", () => {
  const { model, errors } = bindThings();
  expect(errors).toEqual([]);
  expect(Object.fromEntries(model?.semanticNonNull ?? [])).toEqual({
    "Query.things": [0, 1], // `thing` is null where there is none, and `parent` where a thing has none
    "Mutation.addThings": [1],
    "Thing.sure": [0],
    "Thing.tags": [0, 1],
    "Thing.gaps": [0],
    "Thing.maybeTags": [1],
    "Thing.grid": [2],
    "Thing.map": [0, 1],
    "Thing.friends": [0], // a key without a result is null
    "Entry.key": [0],
  });
  const printed = model ? emitSchema(model) : "";
  expect(printed).toContain("directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION");
  expect(printed).toMatch(/^ {2}sure: String @semanticNonNull$/m);
  expect(printed).toMatch(/^ {2}tags: \[String\] @semanticNonNull\(levels: \[0, 1\]\)$/m);
  expect(printed).toMatch(/^ {2}maybe: String$/m);
});

test("a written directive is replaced by the proof's, and one that the proof contradicts is an error", () => {
  const bindWith = (field: string, directive: string) =>
    bindThings(schema.replace(new RegExp(`^  (${field}: .*)$`, "m"), `  $1 ${directive}`));
  const right = bindWith("tags", "@semanticNonNull(levels: [1])");
  expect(right.errors).toEqual([]);
  expect(right.model && emitSchema(right.model)).toMatch(
    /^ {2}tags: .* @semanticNonNull\(levels: \[0, 1\]\)$/m,
  );
  expect(bindWith("grid", "@semanticNonNull(levels: [0, 2])").errors).toEqual([]);
  for (const [field, directive, why] of [
    ["maybe", "@semanticNonNull", "level 0, but REST may leave the value out or send null"],
    ["gaps", "@semanticNonNull(levels: 1)", "level 1, but REST may leave the value out or send null"],
    ["friends", "@semanticNonNull(levels: [0, 1])", "level 1, but REST may leave the value out or send null"],
    ["sure", "@semanticNonNull(levels: [0, 1])", "level 1, but String has no such level"],
  ] as const)
    expect(bindWith(field, directive).errors).toMatchObject([
      { rule: "output-nullable", coordinate: `Thing.${field}`, message: expect.stringContaining(why) },
    ]);
});
