/**
 * The generated code of the cases passes the compiler, and so do discriminators; `large-type-check.test.ts` has large and random
 * specs. All checks are in one file, so the compiler reads its libraries once.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { folderFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { generatedFiles, typeErrors } from "./type-check.ts";

const folder = join(import.meta.dirname, "cases");

/** One program for all of them: the compiler's own libraries are checked once. */
describe("the generated files of", () => {
  const specs = new Map([
    ...readdirSync(folder).map((name) => [name, join(folder, name)] as const),
    ...["another-api", "vendor"].map(
      (name) => [name, join(import.meta.dirname, "../..", name, "spec")] as const,
    ),
  ]);
  let errors: readonly string[] = [];
  beforeAll(async () => {
    const all = new Map<string, string>();
    for (const [name, spec] of specs) {
      const files = folderFiles(spec);
      for (const [path, text] of await generatedFiles(files.read("schema.graphql") ?? "", files))
        all.set(`${name}/${path}`, text);
    }
    errors = typeErrors(all);
  });

  test.each([...specs.keys()])("%s", (name) => {
    expect(errors.filter((error) => error.startsWith(`${name}/`))).toEqual([]);
  });

  test("all of them have no other error", () => expect(errors).toEqual([]));
});

test.each([
  ["one object of what both have", "type Item { type: Kind }\nenum Kind { track episode }", false],
  [
    "a union",
    "union Item = Track | Episode\ntype Track { type: String! }\ntype Episode { type: String!, long: Boolean }",
    true,
  ],
])(
  "a discriminator without a mapping chooses by what its schemas state: %s",
  async (_, types, isRequired) => {
    const stating = (value: string, more: object = {}) => ({
      type: "object",
      ...(isRequired && { required: ["type"] }),
      properties: { type: { type: "string", enum: [value] }, ...more },
    });
    const schemas = {
      Track: stating("track"),
      Base: stating("episode"),
      Episode: {
        allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { long: { type: "boolean" } } }],
      },
      Item: {
        oneOf: [{ $ref: "#/components/schemas/Track" }, { $ref: "#/components/schemas/Episode" }],
        discriminator: { propertyName: "type" },
      },
    };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Item" } } };
    const document = {
      openapi: "3.0.3",
      info: { title: "t", version: "1" },
      security: [],
      paths: {
        "/item": { get: { operationId: "item", responses: { 200: { description: "ok", content } } } },
      },
      components: { schemas },
    };
    const sdl = `type Query { item: Item @rest(operation: "item") }\n${types}\n`;
    const files = await generatedFiles(sdl, JSON.stringify(document));
    expect(typeErrors(files)).toEqual([]);
  },
);

test("the heirs of a schema with a discriminator, which allow further properties, keep their own", async () => {
  const open = { type: "object", additionalProperties: true };
  const heirOf = (base: string, properties: object) => ({
    allOf: [{ $ref: `#/components/schemas/${base}` }, { ...open, properties }],
  });
  const schemas = {
    Base: {
      ...open,
      required: ["type"],
      properties: { type: { type: "string" } },
      discriminator: { propertyName: "type", mapping: { commit: "#/components/schemas/Commit" } },
    },
    Person: heirOf("Base", { name: { type: "string" } }),
    Change: heirOf("Base", { hash: { type: "string" }, author: { $ref: "#/components/schemas/Person" } }),
    Commit: heirOf("Change", { participants: { type: "array", items: { type: "string" } } }),
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Commit" } } };
  const document = {
    openapi: "3.0.3",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/commit": { get: { operationId: "commit", responses: { 200: { description: "ok", content } } } },
    },
    components: { schemas },
  };
  const sdl = `type Query { commit: Commit @rest(operation: "commit") }
type Commit { type: String! hash: String name: String @restName(name: "author.name") author: Person participants: [String!] }
type Person { type: String! name: String }
`;
  expect(typeErrors(await generatedFiles(sdl, JSON.stringify(document)))).toEqual([]);
});
