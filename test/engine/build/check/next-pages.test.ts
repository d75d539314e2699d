/** What `check` reports if REST changes the property that announces the next page of a connection. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";
import { edited } from "./run.ts";

const folder = join(import.meta.dirname, "../codegen/cases/paged-lists");
const [schema, openapi] = ["schema.graphql", "openapi.yaml"].map((name) =>
  readFileSync(join(folder, name), "utf8"),
) as [string, string];

test.each([
  [
    "is on every page",
    'next_page: { type: [integer, "null"] }',
    "next_page: { type: integer }",
    "connection-unfit",
  ],
  ["is removed", 'next_page: { type: [integer, "null"] }', "last_page: { type: integer }", "result-missing"],
  ["becomes an object", 'next_page: { type: [integer, "null"] }', "next_page: {}", "connection-unfit"],
])("the number of the next page %s", (_edit, from, to, rule) => {
  expect(stepFindings(schema, openapi, edited(openapi, from, to))).toMatchObject([
    { rule, coordinates: ["Query.translators"] },
  ]);
});

test.each([
  ["is absent on the last page", "total, next_page]", "total]"],
  ["becomes text", 'next_page: { type: [integer, "null"] }', 'next_page: { type: [string, "null"] }'],
  ["becomes a flag", 'next_page: { type: [integer, "null"] }', "next_page: { type: boolean }"],
])("the value that announces the next page %s: nothing changes for clients", (_edit, from, to) => {
  expect(stepFindings(schema, openapi, edited(openapi, from, to))).toEqual([]);
});

test("a flag that means the opposite in the new schema changes the binding", () => {
  const now = edited(schema, 'more: "meta.has_more"', 'last: "meta.has_more"');
  expect(stepFindings(schema, openapi, openapi, now)).toMatchObject([
    { rule: "binding-changed", coordinate: "Query.authors" },
  ]);
});
