/** Changes of the public schema that graphql-js does not tell. */
import { expect, test } from "vitest";
import { reportOf, repository, write } from "./run.ts";

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
  const root = repository({
    "spec/openapi.yaml": openapi,
    "spec/schema.graphql": schema(page, size),
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  });
  write(root, { "spec/schema.graphql": schema(otherPage, otherSize) });
  const { changes } = await reportOf(root, "--base", "HEAD");
  const dangerous = changes.filter((change) => change.class !== "safe");
  expect(dangerous.map(({ rule, coordinates }) => [rule, coordinates.join()])).toEqual(
    coordinate === undefined ? [] : [["sdl-arg-default-value-change", coordinate]],
  );
});

test("an input type that takes one of its fields now breaks the operations that give several", async () => {
  const root = repository({
    "spec/openapi.yaml": openapi,
    "spec/schema.graphql": schema("Int", "Int"),
    "spec/operations/depot.graphql": 'mutation Find($size: Int) { find(input: { size: $size, name: "a" }) }',
    "spec/rest-only.yaml": "",
  });
  const oneOf = schema("Int", "Int").replace("input Filter", "input Filter @oneOf");
  write(root, { "spec/schema.graphql": oneOf });
  const { findings } = await reportOf(root, "--base", "HEAD");
  expect(findings.find(({ rule }) => rule === "sdl-one-of-added")).toMatchObject({
    coordinates: ["Filter", "Filter.size", "Filter.name"],
    operations: [{ name: "Find", verdict: "broken" }],
  });
});
