/** Descriptions of operations, fragments and variables change nothing but what people and agents read. */
import { buildSchema, parse, print } from "graphql";
import { expect, test } from "vitest";
import { documentId, emitDocuments } from "../../../../src/engine/build/codegen/emit-documents.ts";
import { readSavedOperations } from "../../../../src/engine/build/schema/saved-operations.ts";
import { emitModules } from "../../../../src/engine/client-package/emit-modules.ts";
import { withoutDescriptions } from "../../../../src/engine/shared/operation-descriptions.ts";

const sdl = "type Query { a(b: Int): String c: Query }";
const bare = "query Q($b: Int) { a(b: $b) c { ...F } }\nfragment F on Query { a }";
const described = `"""
Shows a.
"""
query Q("Which." $b: Int) { a(b: $b) c { ...F } }
"What." fragment F on Query { a }`;

const saved = (text: string) =>
  readSavedOperations(buildSchema(sdl), new Map([["operations/q.graphql", text]]));

test("an operation has the same id and the same documents with them", async () => {
  const plain = saved(bare);
  const full = saved(described);
  expect(full.diagnostics).toEqual([]);
  expect(full.operations.map(documentId)).toEqual(plain.operations.map(documentId));
  expect(emitDocuments(full.operations)).toBe(emitDocuments(plain.operations));
  const plainModules = await emitModules(sdl, plain.operations, false);
  const modules = await emitModules(sdl, full.operations, false);
  expect(modules).toEqual(plainModules);
  expect(modules.get("index")).not.toContain("Shows a.");
});

test("a document without them stays the same object", () => {
  const document = parse(bare);
  expect(withoutDescriptions(document)).toBe(document);
  expect(print(withoutDescriptions(parse(described)))).toBe(print(document));
});
