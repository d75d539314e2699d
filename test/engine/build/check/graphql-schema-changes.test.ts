/** Changes of the public schema: those of graphql-js under our rules, and those that it does not tell. */
import { BreakingChangeType, DangerousChangeType } from "graphql";
import { expect, test } from "vitest";
import { changeRules, schemaRules } from "../../../../src/engine/build/check/changes/change-catalogue.ts";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { stepReport } from "./in-memory.ts";
import { validProject } from "./mutations/pair.ts";

const openapi = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/things": {
      post: {
        operationId: "find",
        parameters: [{ name: "page", in: "query", schema: { type: "integer" } }],
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", properties: { size: { type: "integer" }, name: { type: "string" } } },
            },
          },
        },
        responses: {
          200: { description: "ok", content: { "application/json": { schema: { type: "boolean" } } } },
        },
      },
      get: {
        operationId: "look",
        responses: {
          200: { description: "ok", content: { "application/json": { schema: { type: "boolean" } } } },
        },
      },
    },
    "/others": {
      get: {
        operationId: "other",
        responses: {
          200: { description: "ok", content: { "application/json": { schema: { type: "boolean" } } } },
        },
      },
    },
  },
});
const schema = (page: string, size: string): string => `type Query { look: Boolean @rest(operation: "look") }
type Mutation { find(page: ${page}, input: Filter): Boolean @rest(operation: "find", body: "args.input") }
input Filter { size: ${size} name: String }
`;

test.each([
  ["Int", "Int", "Int = 3", "Int", "Mutation.find(page:)"],
  ["Int", "Int", "Int", "Int = 3", "Filter.size"],
  ["Int", "Int = 2", "Int", "Int = 3", "Filter.size"],
  ["Int", "Int = 2", "Int", "Int", "Filter.size"],
  ["Int = 2", "Int", "Int = 3", "Int", "Mutation.find(page:)"],
  ["Int!", "Int!", "Int = 3", "Int = 3", undefined],
])("page: %s, size: %s → page: %s, size: %s", async (page, size, otherPage, otherSize, coordinate) => {
  const was = {
    "spec/openapi.yaml": openapi,
    "spec/schema.graphql": schema(page, size),
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  };
  const { changes } = await stepReport(was, { "spec/schema.graphql": schema(otherPage, otherSize) });
  const dangerous = changes.filter((change) => change.class !== "safe");
  expect(dangerous.map(({ rule, coordinates }) => [rule, coordinates.join()])).toEqual(
    coordinate === undefined ? [] : [["sdl-arg-default-value-change", coordinate]],
  );
});

test.each([
  ["an argument", "Int! = 1", "Int", "Int!", "Int", "Mutation.find(page:)"],
  ["a field of an input object", "Int", "Int! = 1", "Int", "Int!", "Filter.size"],
])("%s that may not be null and loses its default is breaking", (_, page, size, page2, size2, coordinate) => {
  const files = (...types: [string, string]) =>
    validProject(new Map(Object.entries({ "schema.graphql": schema(...types), "openapi.yaml": openapi })));
  const { findings } = examine(files(page2, size2), files(page, size), "2026-01-01");
  expect(findings.filter(({ change }) => change)).toMatchObject([
    { rule: "sdl-default-removed", change: "breaking", coordinate },
  ]);
});

test("a nullable argument that loses its default as it becomes non-null is one finding", () => {
  const files = (page: string) =>
    validProject(new Map(Object.entries({ "schema.graphql": schema(page, "Int"), "openapi.yaml": openapi })));
  const { findings } = examine(files("Int!"), files("Int = 1"), "2026-01-01");
  expect(findings.filter(({ change }) => change).map(({ rule }) => rule)).toEqual(["sdl-arg-changed-kind"]);
});

test("an operation that gives an argument is not broken where the argument loses its default", async () => {
  const was = {
    "spec/openapi.yaml": openapi,
    "spec/schema.graphql": schema("Int! = 1", "Int"),
    "spec/operations/depot.graphql":
      "mutation Given { find(page: 2, input: {}) } mutation Omitted { find(input: {}) }",
    "spec/rest-only.yaml": "",
  };
  const { operations } = await stepReport(was, { "spec/schema.graphql": schema("Int!", "Int") });
  expect(operations.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["Given", "untouched"],
    ["Omitted", "broken"],
  ]);
});

test("an input type that takes one of its fields now breaks the operations that give several", async () => {
  const was = {
    "spec/openapi.yaml": openapi,
    "spec/schema.graphql": schema("Int", "Int"),
    "spec/operations/depot.graphql": 'mutation Find($size: Int) { find(input: { size: $size, name: "a" }) }',
    "spec/rest-only.yaml": "",
  };
  const oneOf = schema("Int", "Int").replace("input Filter", "input Filter @oneOf");
  const { findings } = await stepReport(was, { "spec/schema.graphql": oneOf });
  expect(findings.find(({ rule }) => rule === "sdl-one-of-added")).toMatchObject({
    coordinates: ["Filter", "Filter.size", "Filter.name"],
    operations: [{ name: "Find", verdict: "broken" }],
  });
});

const looks = (args: string, type = "Boolean"): string =>
  `type Query { look${args}: ${type} @rest(operation: "look") }`;
const look = looks("");
const paged = (args: string): string =>
  `${look}\ntype Mutation { find${args}: Boolean @rest(operation: "find") }`;

const rows: readonly (readonly [rule: string, coordinate: string, was: string, is: string])[] = [
  ["sdl-type-removed", "Shelf", `${look} type Shelf { id: ID }`, look],
  ["sdl-type-changed-kind", "Shelf", `${look} type Shelf { id: ID }`, `${look} interface Shelf { id: ID }`],
  [
    "sdl-type-removed-from-union",
    "Item",
    `${look} type A { a: ID } type B { b: ID } union Item = A | B`,
    `${look} type A { a: ID } type B { b: ID } union Item = A`,
  ],
  ["sdl-value-removed-from-enum", "Kind.B", `${look} enum Kind { A B }`, `${look} enum Kind { A }`],
  [
    "sdl-required-input-field-added",
    "In.b",
    `${look} input In { a: ID }`,
    `${look} input In { a: ID b: ID! }`,
  ],
  [
    "sdl-implemented-interface-removed",
    "A",
    `${look} interface Named { a: ID } type A implements Named { a: ID }`,
    `${look} interface Named { a: ID } type A { a: ID }`,
  ],
  ["sdl-field-removed", "A.b", `${look} type A { a: ID b: ID }`, `${look} type A { a: ID }`],
  ["sdl-field-changed-kind", "Query.look", looks("", "Boolean!"), look],
  ["sdl-required-arg-added", "Mutation.find(page:)", paged(""), paged("(page: Int!)")],
  ["sdl-arg-removed", "Mutation.find(page:)", paged("(page: Int)"), paged("")],
  ["sdl-arg-changed-kind", "Mutation.find(page:)", paged("(page: Int)"), paged("(page: Int!)")],
  ["sdl-directive-removed", "@cached", `${look} directive @cached on FIELD`, look],
  [
    "sdl-directive-arg-removed",
    "@cached",
    `${look} directive @cached(seconds: Int) on FIELD`,
    `${look} directive @cached on FIELD`,
  ],
  [
    "sdl-required-directive-arg-added",
    "@cached",
    `${look} directive @cached on FIELD`,
    `${look} directive @cached(seconds: Int!) on FIELD`,
  ],
  [
    "sdl-directive-repeatable-removed",
    "@cached",
    `${look} directive @cached repeatable on FIELD`,
    `${look} directive @cached on FIELD`,
  ],
  [
    "sdl-directive-location-removed",
    "@cached",
    `${look} directive @cached on FIELD | QUERY`,
    `${look} directive @cached on FIELD`,
  ],
  ["sdl-value-added-to-enum", "Kind.B", `${look} enum Kind { A }`, `${look} enum Kind { A B }`],
  [
    "sdl-type-added-to-union",
    "Item",
    `${look} type A { a: ID } type B { b: ID } union Item = A`,
    `${look} type A { a: ID } type B { b: ID } union Item = A | B`,
  ],
  [
    "sdl-optional-input-field-added",
    "In.b",
    `${look} input In { a: ID }`,
    `${look} input In { a: ID b: ID }`,
  ],
  ["sdl-optional-arg-added", "Mutation.find(page:)", paged(""), paged("(page: Int)")],
  [
    "sdl-implemented-interface-added",
    "A",
    `${look} interface Named { a: ID } type A { a: ID }`,
    `${look} interface Named { a: ID } type A implements Named { a: ID }`,
  ],
  [
    "sdl-arg-default-value-change",
    "Mutation.find(page:)",
    paged("(page: Int = 1)"),
    paged("(page: Int = 2)"),
  ],
  ["sdl-default-removed", "Mutation.find(page:)", paged("(page: Int! = 1)"), paged("(page: Int!)")],
  ["sdl-one-of-added", "In", `${look} input In { a: ID }`, `${look} input In @oneOf { a: ID }`],
  ["sdl-added", "A.b", `${look} type A { a: ID }`, `${look} type A { a: ID b: ID }`],
  ["binding-changed", "Query.look", look, look.replace('"look"', '"other"')],
];

test("the rules of the schema are graphql-js's, of its classes, and our four", () => {
  const library = [...Object.values(BreakingChangeType), ...Object.values(DangerousChangeType)];
  const expected = library.map((type) => `sdl-${type.toLowerCase().replaceAll("_", "-")}`);
  const own = ["sdl-default-removed", "sdl-one-of-added", "sdl-added", "binding-changed"];
  expect(Object.keys(schemaRules)).toEqual([...expected, ...own]);
  expect(rows.map(([rule]) => rule)).toEqual(Object.keys(schemaRules));
});

test.each(rows)("%s at %s is the only finding", (rule, coordinate, was, is) => {
  const [base, head] = [was, is].map((sdl) =>
    validProject(new Map(Object.entries({ "schema.graphql": sdl, "openapi.yaml": openapi }))),
  ) as [ReturnType<typeof validProject>, ReturnType<typeof validProject>];
  const { changes } = examine(head, base, "2026-01-01");
  // an argument that is gone, or new, feeds its parameter no more, or now
  const own = changes.filter(
    (each) => each.rule === rule || !(rule.includes("-arg-") && each.rule === "binding-changed"),
  );
  expect(own.map((each) => [each.rule, each.class, each.coordinates[0]])).toEqual([
    [rule, changeRules[rule as keyof typeof changeRules].classes[0], coordinate],
  ]);
});
