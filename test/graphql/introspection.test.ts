/**
 * What GraphQL's introspection may cost. An answer is counted before it is made: the full query of tools passes, and a
 * document that multiplies the schema by its aliases is refused.
 */

import type { FastifyInstance } from "fastify";
import { execute, getIntrospectionQuery, type OperationDefinitionNode, parse } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api } from "../../generated/index.ts";
import { createGraphql } from "../../src/engine/graphql/graphql.ts";
import { countIntrospection, IntrospectionBound } from "../../src/engine/graphql/plan/introspection-bound.ts";
import { buildSchema } from "../../src/engine/graphql/schema.ts";
import { introspectedValues } from "../../src/engine/settings/capacity.ts";
import { processorMs } from "../support/cost.ts";
import { configure } from "./configure.ts";
import { openPair, pairs } from "./pairs.ts";

const schema = buildSchema(api);
const full = getIntrospectionQuery({
  ...{ descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true },
  ...{ schemaDescription: true, inputValueDeprecation: true, oneOf: true },
});
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");
const fieldsOfTypes = "fields { name args { name } type { fields { name type { name } } } }";
/** `count` aliases at each of two levels. */
const multiplied = (count: number): string => {
  const types = times(count, (index) => `b${index}: types { ${fieldsOfTypes} }`);
  return `{ ${times(count, (index) => `a${index}: __schema { ${types} }`)} }`;
};

let server: FastifyInstance;
beforeAll(async () => {
  server = await createGraphql(configure(), api);
});
afterAll(() => server.close());
const post = (query: string, variables = {}) =>
  server.inject({ method: "POST", url: "/v1/graphql", payload: { query, variables } });

test.each([
  [
    "aliases of the schema",
    `{ ${times(19, (index) => `a${index}: __schema { types { ${fieldsOfTypes} } }`)} }`,
  ],
  ["aliases at two levels", multiplied(5)],
  [
    "aliases in a fragment",
    `{ __schema { types { ...A } } } fragment A on __Type { ${times(30, (index) => `a${index}: ${fieldsOfTypes}`)} }`,
  ],
  [
    "aliases of texts",
    `{ ${times(2, (index) => `a${index}: __schema { types { ${times(14, (at) => `d${at}: fields { description name }`)} } }`)} }`,
  ],
  [
    "aliases of a type",
    `query ($name: String!) { ${times(20, (index) => `a${index}: __type(name: $name) { fields { type { fields { name description type { kind ofType { kind ofType { kind name } } } } } } }`)} }`,
  ],
])("%s are refused before an execution", async (_name, query) => {
  const before = server.executions.interpreted;
  const answer = await post(query, { name: "Query" });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    400,
    {
      errors: [
        { message: expect.stringContaining("values of the schema"), extensions: { code: "LIMIT_EXCEEDED" } },
      ],
    },
  ]);
  expect(server.executions.interpreted).toBe(before);
});

test("the full query of tools passes, and once more beside it", async () => {
  const twice = full.replace("__schema {", "again: __schema { types { ...FullType } } __schema {");
  for (const query of [full, twice]) expect((await post(query)).json().errors).toBeUndefined();
});

test("a condition that is null is graphql-js's error in its place", async () => {
  const query = `query ($no: Boolean = true) { __schema { queryType { name @include(if: $no) } } __typename }`;
  const answer = await post(query, { no: null });
  expect(answer.json()).toMatchObject({ errors: [{ extensions: { code: "BAD_USER_INPUT" } }] });
  const root = query.replace("__typename }", "a: __schema @include(if: $no) { description } }");
  expect((await post(root, { no: null })).json()).toMatchObject({
    errors: [{ extensions: { code: "BAD_USER_INPUT" } }],
  });
});

test("as many values as the bound are answered, and one more is refused", () => {
  const bound = new IntrospectionBound(schema);
  const check = (values: number): void => {
    const document = parse(`{ __type(name: "ID") { ${times(values - 1, (index) => `a${index}: name`)} } }`);
    bound.check(document, document.definitions[0] as OperationDefinitionNode, {});
  };
  check(introspectedValues.least);
  expect(() => check(introspectedValues.least + 1)).toThrow(`at most ${introspectedValues.least} values`);
});

/** The values of an answer as the bound counts them. */
function valuesOf(value: unknown): number {
  if (typeof value === "string") return Math.floor(value.length / introspectedValues.charactersOfValue);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + valuesOf(one), 0);
}

describe("what is counted are the values of the answer", () => {
  const queries = [
    full,
    `{ a: __schema { types { name kind ...F ...F } } b: __schema { ...S } } fragment S on __Schema { directives { name locations args { name } } } fragment F on __Type { name fields(includeDeprecated: true) { type { ofType { name } } } }`,
    `query ($yes: Boolean = true) { __type(name: "Query") { __typename fields(includeDeprecated: $yes) { name @skip(if: $yes) args @include(if: $yes) { defaultValue } } } no: __type(name: "No") { name } }`,
  ];
  test.each(pairs)("%s", async (_name, folder) => {
    const { schema } = await openPair(folder);
    for (const document of queries.map((query) => parse(query))) {
      const variableValues = { yes: true };
      const { data } = execute({ schema, document, variableValues }) as { data: object };
      const operation = document.definitions.find(({ kind }) => kind === "OperationDefinition");
      const counted = countIntrospection(
        schema,
        document,
        operation as OperationDefinitionNode,
        variableValues,
        1e9,
      );
      expect(counted).toBe(valuesOf(data));
    }
  });
});

test("no document about the schema costs more than a few full queries", async () => {
  let spaces = 0;
  const costOf = (query: string) => processorMs(async () => post(query + " ".repeat(spaces++)), 5);
  await costOf(full);
  const usual = await costOf(full);
  const { least } = introspectedValues;
  const most = (text: (count: number) => string): string => {
    let found = text(1);
    for (let count = 2; count <= 28; count++) {
      const document = parse(text(count));
      if (countIntrospection(schema, document, document.definitions[0] as never, {}, least) <= least)
        found = text(count);
    }
    return found;
  };
  for (const query of [
    multiplied(5),
    most(
      (count) =>
        `{ ${times(Math.min(count, 20), (index) => `a${index}: __schema { types { ${fieldsOfTypes} } }`)} }`,
    ),
    most(
      (count) =>
        `{ __schema { types { ${times(count, (index) => `a${index}: fields { description type { description } }`)} } } }`,
    ),
    most(
      (count) =>
        `{ __schema { types { fields { args { ${times(count, (index) => `a${index}: defaultValue`)} } } } } }`,
    ),
  ])
    expect((await costOf(query)) / usual, query.slice(0, 100)).toBeLessThan(20);
});
