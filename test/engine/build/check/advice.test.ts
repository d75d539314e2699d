/** What a finding advises, the next run accepts. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";

const schema = `type Query { things: [Thing!] @rest(operation: "things") }
union Thing = Cat | Dog
type Cat { lives: Int } type Dog { tail: Int }`;

const document = (dog: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
security: []
paths:
  /things:
    get:
      operationId: things
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
components:
  schemas:
    Thing: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }], discriminator: { propertyName: kind } }
    Cat: { type: object, required: [kind], properties: { kind: { type: string, const: cat }, lives: { type: integer } } }
    Dog: ${dog}
`;

const errors = (files: Readonly<Record<string, string>>) =>
  new Project(textFiles(new Map(Object.entries(files)))).diagnostics.filter(
    ({ severity }) => severity === "error",
  );

test.each([
  [
    "is optional",
    "{ type: object, properties: { kind: { type: string, const: dog }, tail: { type: integer } } }",
  ],
  ["is not declared", "{ type: object, required: [tail], properties: { tail: { type: integer } } }"],
])("a discriminator's property that %s: the overlay in the hint mends it", (_, dog) => {
  const files = { "schema.graphql": schema, "openapi.yaml": document(dog) };
  const [found, ...others] = errors(files);
  expect([found?.rule, others]).toEqual(["discriminator-missing", []]);
  const [, action = ""] = / in spec\/overlay\.yaml by (.+)$/.exec(found?.hint ?? "") ?? [];
  expect(parse(action)).toMatchObject({ target: "$['components']['schemas']['Dog']" });
  const overlay = `overlay: 1.0.0\ninfo: { title: o, version: "1" }\nactions: [${action}]\n`;
  expect(errors({ ...files, "overlay.yaml": overlay })).toEqual([]);
});

test("a discriminator's property that may be null: no overlay is advised, for none takes a null away", () => {
  const dog = "{ type: object, required: [kind], properties: { kind: { type: [string, 'null'] } } }";
  const [found] = errors({ "schema.graphql": schema, "openapi.yaml": document(dog) });
  expect(found?.hint).toBe('make "kind" a required property of Dog');
});

test("a header that every operation requires and that reads like a credential: the overlay in the hint declares it", () => {
  const read = (path: string): string => `
  ${path}:
    get:
      operationId: get${path.slice(1)}
      parameters: [{ name: X-Api-Token, in: header, required: true, schema: { type: string } }, { name: X-Version, in: header, required: true, schema: { type: string } }]
      responses: { "200": { description: ok, content: { application/json: { schema: { type: string } } } } }`;
  const openapi = `openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths:${read("/a")}${read("/b")}\n`;
  const asked = (token: string) =>
    `type Query { a(xVersion: String!${token}): String @rest(operation: "geta") }`;
  const files = { "schema.graphql": asked(", xApiToken: String!"), "openapi.yaml": openapi };
  const [found] = new Project(textFiles(new Map(Object.entries(files)))).diagnostics;
  expect(found?.rule).toBe("credential-undeclared");
  const [, action = ""] = / is the credential, write (.+)$/.exec(found?.hint ?? "") ?? [];
  const overlay = `overlay: 1.0.0\ninfo: { title: o, version: "1" }\nactions: [${action}]\n`;
  const mended = { ...files, "schema.graphql": asked(""), "overlay.yaml": overlay };
  expect(new Project(textFiles(new Map(Object.entries(mended)))).diagnostics).toEqual([]);
});
