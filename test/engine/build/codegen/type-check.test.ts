/**
 * Generated code passes the compiler, whatever the names, the nulls and the inputs of a spec are. All checks stand in one
 * file, so the compiler reads its libraries once.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { folderFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { randomOf } from "../../../support/random.ts";
import { seed } from "../../../support/seed.ts";
import { galaxy, galaxyProposals } from "../../documents/galaxy.ts";
import { bindWithoutErrors } from "../bind/composed/bound.ts";
import { validators } from "../bind/composed/judge.ts";
import { openapi, sample, typesFor, world } from "../bind/composed/schemas.ts";
import { generatedFiles, typeErrors } from "./type-check.ts";

const folder = join(import.meta.dirname, "cases");
const read = (name: string, file: string): string => readFileSync(join(folder, name, file), "utf8");

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

/** Every name that stands in the generated files, as TypeScript's scanner reads it. */
function namesIn(files: ReadonlyMap<string, string>): Set<string> {
  const names = new Set<string>();
  for (const text of files.values()) {
    const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
    for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
      if (kind === ts.SyntaxKind.Identifier || kind >= ts.SyntaxKind.FirstKeyword)
        names.add(scanner.getTokenText());
    }
  }
  return names;
}

test("a type may have any name that stands in the generated files", async () => {
  const schema = `type Query { thing: Thing @rest(operation: "things") }
type Mutation { addThing(input: NewThing!): Thing @rest(operation: "addThing", body: "args.input") }
type Thing { then: String! free: JSON mood: Mood! }
enum Mood { its @restName(name: "it's") ab @restName(name: "a \\"b\\"") plain }
input NewThing { name: String! }
scalar JSON
`;
  const openapi = read("names", "openapi.yaml");
  const own = new Set(
    [...schema.matchAll(/(?:type|enum|scalar|input|union) (\w+)/g)].map(([, name]) => name),
  );
  const builtIn = ["Boolean", "Float", "ID", "Int", "String", "RestIn", "RestParam", "RestValue"];
  const names = [...namesIn(await generatedFiles(schema, openapi))].filter(
    (name) =>
      /^[A-Za-z_]\w*$/.test(name) &&
      !name.startsWith("__") &&
      !own.has(name) &&
      !builtIn.includes(name) &&
      // these names of graphql-codegen's own pass through the naming convention like those of the schema
      !/^(Directive)?Resolvers(Types|ParentTypes|UnionTypes|InterfaceTypes)?$|ScalarConfig$/.test(name),
  );
  expect(names).toEqual(expect.arrayContaining(["Maybe", "Required", "Promise", "components", "property"]));
  const types = names.map((name) => `type ${name} { then: String }`);
  const fields = names.map((name, index) => `  f${index}: ${name} @rest(operation: "things")`);
  const every = `${schema}\nextend type Query {\n${fields.join("\n")}\n}\n${types.join("\n")}\n`;
  expect(typeErrors(await generatedFiles(every, openapi))).toEqual([]);
});

/** The number of random documents with something bound. */
const wanted = Number(process.env.COMPOSED_TYPES ?? 5);

test("random composed documents: their resolvers type-check", async () => {
  let compiled = 0;
  for (const [index, composed] of fc.sample(world, { numRuns: 40 * wanted, seed }).entries()) {
    if (compiled === wanted) break;
    const random = randomOf(seed, index);
    const allowed = validators(composed);
    const values = composed.answers.map((answer, index) =>
      Array.from({ length: 40 }, () => sample(composed, answer, random)).find(
        (each) => typeof each === "object" && each !== null && allowed[index]?.(each),
      ),
    );
    const bound = bindWithoutErrors(openapi(composed), typesFor(values, random));
    if (!bound || !/type [TM]/.test(bound.text)) continue;
    compiled++;
    const files = await generatedFiles(bound.text, openapi(composed));
    expect(typeErrors(files), `${bound.text}\n${openapi(composed)}`).toEqual([]);
  }
  expect(compiled).toBe(wanted);
}, 300_000);

test("a small real document: the resolvers of all its proposals type-check", async () => {
  expect(typeErrors(await generatedFiles(galaxyProposals().groups[0]?.schema ?? "", galaxy))).toEqual([]);
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
