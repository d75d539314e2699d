/** Generated code passes the compiler: with every name that stands in it, for random documents, and for a real one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { expect, test } from "vitest";
import { randomOf } from "../../../support/random.ts";
import { seed } from "../../../support/seed.ts";
import { galaxy, galaxyProposals } from "../../documents/galaxy.ts";
import { bindWithoutErrors } from "../bind/composed/bound.ts";
import { validators } from "../bind/composed/judge.ts";
import { openapi, sample, typesFor, world } from "../bind/composed/schemas.ts";
import { generatedFiles, typeErrors } from "./type-check.ts";

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

test("a type may have any name that occurs in the generated files", async () => {
  const schema = `type Query { thing: Thing @rest(operation: "things") }
type Mutation { addThing(input: NewThing!): Thing @rest(operation: "addThing", body: "args.input") }
type Thing { then: String! free: JSON mood: Mood! }
enum Mood { its @restName(name: "it's") ab @restName(name: "a \\"b\\"") plain }
input NewThing { name: String! }
scalar JSON
`;
  const openapi = readFileSync(join(import.meta.dirname, "cases/names/openapi.yaml"), "utf8");
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
