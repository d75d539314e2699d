/** Each limit of an operation, at its value and one above. The refusal comes before any call and has the limit's name and value. */

import type { FastifyInstance } from "fastify";
import { parse, validate } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { executableSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { limitRule } from "../../../../src/engine/runtime/graphql/limits/limits.ts";
import { entries, property } from "../../../../src/engine/runtime/rest/property.ts";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { processorMs } from "../../../support/cost.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

let server: FastifyInstance;
beforeAll(async () => {
  server = await createGraphql(configure(), api);
});
afterAll(() => server.close());

const post = (payload: string | object) =>
  server.inject({
    method: "POST",
    url: "/v1/graphql",
    headers: { "content-type": "application/json" },
    payload,
  });

type Failure = { message: string; extensions: { code: string; limit?: string; value?: number } };

async function failures(payload: string | object): Promise<Failure[]> {
  const { errors, data } = (await post(payload)).json<{ errors?: Failure[]; data?: object }>();
  const refused = (errors ?? []).filter(({ extensions }) => extensions.limit !== undefined);
  if (refused.length > 0) expect(data).toBeUndefined();
  return refused;
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");

/** A chain of `depth` levels that alternates between a contact and its conversations and ends with an id. */
const chain = (depth: number, link = "contact"): string =>
  depth === 1 ? "id" : `${link} { ${chain(depth - 1, link === "contact" ? "conversations" : "contact")} }`;

describe.each<[limit: string, value: number, document: (count: number) => string]>([
  ["MAX_DOCUMENT_LENGTH", 100_000, (length) => "{ __typename }".padEnd(length)],
  ["MAX_DOCUMENT_LINES", 5_000, (count) => `{ __typename }${"\n".repeat(count - 1)}`],
  [
    "MAX_DEFINITIONS",
    100,
    (count) =>
      times(
        count,
        (index) =>
          `${index > 1 ? "fragment" : "query"} A${index}${index > 1 ? " on Query" : ""} { __typename }`,
      ),
  ],
  ["MAX_TOKENS", 5_000, (count) => `{ ${times(count - 2, () => "__typename")} }`],
  ["MAX_DEPTH", 15, (depth) => `{ conversation(id: "1") { ${chain(depth - 1)} } }`],
  ["MAX_ALIASES", 30, (count) => `{ me { ${times(count, (index) => `a${index}: id`)} } }`],
  ["MAX_ALIAS_LENGTH", 100, (length) => `{ me { ${"a".repeat(length)}: id } }`],
  ["MAX_ROOT_FIELDS", 20, (count) => `{ ${times(count, () => "__typename")} }`],
  ["MAX_DIRECTIVES", 50, (count) => `{ me { ${times(count, () => "id @include(if: true)")} } }`],
  [
    "MAX_BOUND_FIELDS",
    50,
    (count) => `{ conversation(id: "1") { ${times(count - 1, () => "contact { id }")} } }`,
  ],
])("%s of %i", (limit, value, document) => {
  test("are accepted, and one more is refused with the limit's name and value", async () => {
    expect(
      (await failures({ query: document(value) })).map(({ extensions }) => extensions.limit),
    ).not.toContain(limit);
    const refused = await failures({ query: document(value + 1) });
    expect(refused).toMatchObject([{ extensions: { code: "LIMIT_EXCEEDED", limit, value } }]);
    expect(refused[0]?.message).toContain(`${value}`);
  });

  test("has an environment variable", async () => {
    const other = await createGraphql(configure({ [limit]: "3" }), api);
    const ask = (count: number) =>
      other.inject({ method: "POST", url: "/v1/graphql", payload: { query: document(count) } });
    expect((await ask(4)).json().errors[0].extensions).toMatchObject({
      code: "LIMIT_EXCEEDED",
      limit,
      value: 3,
    });
    await other.close();
  });
});

describe("the limits count unfolded fragments", () => {
  test.each([
    ["MAX_DEPTH", `{ conversation(id: "1") { ...A } } fragment A on Conversation { ${chain(15)} }`],
    [
      "MAX_ALIASES",
      `{ me { ...A ...B } } fragment A on IdentityProfile { ${times(16, (i) => `a${i}: id`)} } fragment B on IdentityProfile { ...A }`,
    ],
    ["MAX_ALIAS_LENGTH", `{ me { ...A } } fragment A on IdentityProfile { ${"a".repeat(101)}: id }`],
    [
      "MAX_BOUND_FIELDS",
      `{ conversation(id: "1") { ${times(26, () => "...A")} } } fragment A on Conversation { contact { id } assignee { id } }`,
    ],
    [
      "MAX_ROOT_FIELDS",
      `{ ...A ... on Query { ${times(10, () => "__typename")} } } fragment A on Query { ${times(11, () => "__typename")} }`,
    ],
    [
      "MAX_DIRECTIVES",
      `{ me { ${times(26, () => "...A @include(if: true)")} } } fragment A on IdentityProfile { id @include(if: true) }`,
    ],
  ])("%s", async (limit, query) => {
    expect(await failures({ query })).toMatchObject([{ extensions: { limit } }]);
  });
});

test("an operation whose root type the schema lacks is refused before it runs", async () => {
  const answer = await post({ query: "subscription { me { id } }" });
  expect([answer.statusCode, answer.json()]).toEqual([
    400,
    {
      errors: [
        {
          message: "the schema has no subscription operations",
          locations: [{ line: 1, column: 1 }],
          extensions: { code: "GRAPHQL_VALIDATION_FAILED", requestId: expect.any(String) },
        },
      ],
    },
  ]);
});

test("MAX_BOUND_FIELDS counts an interface's field if an implementing type binds it", () => {
  const typeDefs = `
    interface Named {
  name: String
  boss: Named
}
    type Person implements Named {
  name: String
  boss: Named
}
    type Pet implements Named {
  name: String
  boss: Named
}
    type Query { named: Named }`;
  const plain = property("x");
  const bound = async () => null;
  const resolvers = {
    Person: { name: plain, boss: plain },
    Pet: { name: plain, boss: bound },
    Query: { named: bound },
  };
  const schema = executableSchema(typeDefs, { resolvers, argumentSchemas: {}, argumentNames: {} });
  const rule = limitRule(configure({ MAX_BOUND_FIELDS: "2" }).env);
  const refused = (query: string) =>
    validate(schema, parse(query), [rule]).map(({ extensions }) => extensions);
  expect(refused("{ named { name boss { name } } }")).toEqual([]);
  expect(refused("{ named { boss { boss { name } } } }")).toEqual([{ limit: "MAX_BOUND_FIELDS", value: 2 }]);
});

test("MAX_BOUND_FIELDS counts no field that shows the entries of a map, which makes no call", () => {
  const typeDefs = "type Entry { key: String } type Query { board: Board } type Board { totals: [Entry] }";
  const key = property("key");
  const resolvers = {
    Entry: { key },
    Board: { totals: entries("totals") },
    Query: { board: async () => null },
  };
  const schema = executableSchema(typeDefs, { resolvers, argumentSchemas: {}, argumentNames: {} });
  const rule = limitRule(configure({ MAX_BOUND_FIELDS: "1" }).env);
  expect(validate(schema, parse("{ board { totals { key } } }"), [rule])).toEqual([]);
});

test("a request carries one operation", async () => {
  const one = await post({ query: "{ __typename }" });
  const two = await post([{ query: "{ __typename }" }, { query: "{ __typename }" }]);
  expect(one.json()).toEqual({ data: { __typename: "Query" } });
  expect(two.statusCode).toBe(400);
  expect(two.json()).toMatchObject({
    errors: [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_OPERATIONS", value: 1 } }],
  });
});

test("a body of MAX_BODY_BYTES is accepted, and one more byte is refused with the limit's name and value", async () => {
  const body = (bytes: number): string => '{"query":"{ __typename }"}'.padEnd(bytes);
  expect((await post(body(1_048_576))).statusCode).toBe(200);
  const refused = await post(body(1_048_577));
  expect([refused.statusCode, refused.json()]).toMatchObject([
    413,
    { errors: [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_BODY_BYTES", value: 1_048_576 } }] },
  ]);
});

test("a document that is too deep for the parser is refused with the limit's name and value", async () => {
  const other = await createGraphql(
    configure({ MAX_TOKENS: "1000000", MAX_DOCUMENT_LENGTH: "1000000" }),
    api,
  );
  const payload = { query: "{ a ".repeat(200_000) };
  const answer = await other.inject({ method: "POST", url: "/v1/graphql", payload });
  expect(answer.json().errors[0].extensions).toMatchObject({
    code: "LIMIT_EXCEEDED",
    limit: "MAX_DEPTH",
    value: 15,
  });
  await other.close();
});

describe("the most expensive documents are refused at little cost", () => {
  const size = 1_000_000;
  let parsing = 0;
  beforeAll(async () => {
    parsing = await processorMs(() => parse(`{ ${"id ".repeat(size / 3)} }`));
  });
  const unfolding = times(500, (i) => `fragment F${i} on IdentityProfile { ...F${i + 1} ...F${i + 1} }`);
  const fields = times(8, (k) => `a${k}: id`);
  test.each([
    ["deep", "{ a ".repeat(size / 4)],
    ["deep values", `{ contacts(q: ${"[".repeat(size / 2)}`],
    ["deep object values", `{ contacts(q: ${"{a:".repeat(size / 3)}`],
    ["wide", `{ me { ${"id ".repeat(size / 3)} } }`],
    ["wide, within the tokens", `{ me { ${"id ".repeat(4_900)} } }`],
    ["nested fields repeated", `{ ${"conversations { contact { conversations { id } } } ".repeat(500)} }`],
    ["aliases of one field", `{ me { ${times(1_600, (i) => `a${i}: id`)} } }`],
    ["fragments that unfold", `{ me { ...F0 } } ${unfolding} fragment F500 on IdentityProfile { id }`],
    [
      "a fragment cycle",
      `{ me { ...F0 } } ${times(400, (i) => `fragment F${i} on IdentityProfile { ...F${(i + 1) % 400} ...F${(i + 7) % 400} }`)}`,
    ],
    [
      "fragments against each other",
      `{ me { ${times(100, (i) => `...F${i}`)} } } ${times(100, (i) => `fragment F${i} on IdentityProfile { ${fields} }`)}`,
    ],
    ["many operations", times(900, (i) => `query Q${i} { a }`)],
    ["unknown fields", `{ me { ${times(1_200, (i) => `emali${i}`)} } }`],
    ["one long name", `{ ${"a".repeat(size)} }`],
    [
      "a long operation name in every error",
      `query ${"a".repeat(size)} { me { ${times(100, (i) => `id @include(if: $v${i})`)} } }`,
    ],
    ["directives", `{ me { ${times(600, (i) => `id @a${i} @include(if: $x)`)} } }`],
  ])("%s", async (_name, query) => {
    await post({ query: "{ __typename }" });
    let answer = await post({ query });
    let spaces = 0;
    const cost = await processorMs(async () => {
      answer = await post({ query: query + " ".repeat(++spaces) }); // a document that was refused before costs nothing
    });
    expect(answer.statusCode).toBe(400);
    expect(
      answer.json().errors.every(({ extensions }: Failure) => extensions.code !== "INTERNAL_SERVER_ERROR"),
    ).toBe(true);
    expect(answer.body.length).toBeLessThan(100_000);
    expect(answer.body).not.toMatch(/call stack/);
    // `npm run suite -- faults` holds a quiet machine to 100 ms
    expect(cost / parsing, "in parsings of a document of that size").toBeLessThan(2);
  });
});
