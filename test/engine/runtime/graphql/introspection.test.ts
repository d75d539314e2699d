/**
 * GraphQL's introspection: a plan answers as graphql-js does. The full query of tools passes, and a document that multiplies
 * the schema by its aliases is refused.
 */

import type { FastifyInstance } from "fastify";
import { buildSchema, execute, getIntrospectionQuery, type OperationDefinitionNode, parse } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compilePlan } from "../../../../src/engine/runtime/graphql/plan/compile-plan.ts";
import { fragmentsOf, PlanCache } from "../../../../src/engine/runtime/graphql/plan/plan-cache.ts";
import { runPlan } from "../../../../src/engine/runtime/graphql/plan/run-plan.ts";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { processorMs } from "../../../support/cost.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";
import { openPair, pairs } from "./pairs.ts";

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
    `query ($name: String!) { ${times(20, (index) => `a${index}: __type(name: $name) { fields { type { fields { name description isDeprecated deprecationReason type { kind ofType { kind ofType { kind name } } } } } } }`)} }`,
  ],
])("%s are refused", async (_name, query) => {
  const answer = await post(query, { name: "Query" });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    400,
    {
      errors: [
        {
          message: expect.stringContaining("too much of the schema"),
          extensions: { code: "LIMIT_EXCEEDED" },
        },
      ],
    },
  ]);
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

describe("the answer of a plan is that of graphql-js", () => {
  const queries = [
    full,
    `{ a: __schema { types { name kind ...F ...F } } b: __schema { ...S } } fragment S on __Schema { directives { name locations args { name } } } fragment F on __Type { name fields(includeDeprecated: true) { type { ofType { name } } } }`,
    `query ($yes: Boolean = true) { __type(name: "Query") { __typename fields(includeDeprecated: $yes) { name @skip(if: $yes) args @include(if: $yes) { defaultValue } } } no: __type(name: "No") { name } }`,
  ];
  test.each(pairs)("%s", async (_name, folder) => {
    const { schema } = await openPair(folder);
    for (const document of queries.map((query) => parse(query))) {
      const variables = { yes: true };
      const expected = await execute({ schema, document, variableValues: variables });
      const operation = document.definitions.find(({ kind }) => kind === "OperationDefinition");
      const fragments = fragmentsOf(document);
      const plan = compilePlan(operation as never, { schema, fragments, variables, maxFields: 5_000 });
      const answer = await runPlan(plan, { variables, context: withoutRest, limits: unlimited, pieces });
      expect(JSON.stringify(answer)).toBe(JSON.stringify({ data: expected.data, errors: [] }));
    }
  });
});

const withoutRest = { rest: { forField: () => ({}) } };
const run = <T>(work: () => T): T => work();
const pieces = { size: 128, complete: run, measured: run };
const unlimited = { MAX_ANSWER_BYTES: Number.MAX_SAFE_INTEGER, MAX_BODY_BYTES: Number.MAX_SAFE_INTEGER };

test("an argument has the value of each request's own variable", async () => {
  const plans = new PlanCache(buildSchema("type Query { now: Int once: Int @deprecated }"), 100);
  const document = parse(
    `query ($old: Boolean) { __type(name: "Query") { fields(includeDeprecated: $old) { name } } }`,
  );
  const [operation] = document.definitions as OperationDefinitionNode[];
  const fields = async (old: boolean): Promise<string> => {
    const variables = { old };
    const plan = plans.get(
      { document, operation: operation as OperationDefinitionNode },
      variables,
      (compile) => compile(),
    );
    const given = { variables, context: withoutRest, limits: unlimited, pieces };
    return JSON.stringify((await runPlan(plan, given)).data);
  };
  for (const old of [true, false, true]) expect((await fields(old)).includes("once")).toBe(old);
});

test("no document about the schema costs more than a few full queries", async () => {
  let spaces = 0;
  const costOf = (query: string) => processorMs(async () => post(query + " ".repeat(spaces++)), 5);
  await costOf(full);
  const usual = await costOf(full);
  const most = async (text: (count: number) => string): Promise<string> => {
    let found = text(1);
    for (let count = 2; count <= 28; count++)
      if ((await post(text(count))).statusCode === 200) found = text(count);
    return found;
  };
  for (const query of [
    multiplied(5),
    await most(
      (count) =>
        `{ ${times(Math.min(count, 20), (index) => `a${index}: __schema { types { ${fieldsOfTypes} } }`)} }`,
    ),
    await most(
      (count) =>
        `{ __schema { types { ${times(count, (index) => `a${index}: fields { description type { description } }`)} } } }`,
    ),
    await most(
      (count) =>
        `{ __schema { types { fields { args { ${times(count, (index) => `a${index}: defaultValue`)} } } } } }`,
    ),
  ])
    expect((await costOf(query)) / usual, query.slice(0, 100)).toBeLessThan(20);
});
