/** A plan supports each form of GraphQL's selections (October 2021, §2 and §6.3.2). */
import { describe, expect, test } from "vitest";
import { openSchema, people } from "./fixture.ts";

const pet = (id: string, more: object = {}) => ({
  kind: "pet",
  id,
  name: `Pet ${id}`,
  next: `after ${id}`,
  keeperId: "k",
  grid: [[1, 2], null, []],
  owner: { kind: "person", id: "1", "full-name": "Ada", mood: "is-glad" },
  ...more,
});

const answers = (call: string, query: Record<string, unknown>): unknown => {
  if (call === "people") return people(query);
  if (call === "named") return [pet("1"), { kind: "team", id: "t", name: "Team", size: 3 }, null];
  if (call === "pets")
    return [pet("1"), pet("2", { owner: { kind: "team", id: "9", name: "All", size: 0 } })];
  return call === "person" ? people({ ids: ["1"] }, { mood: "is-sad" })[0] : pet(String(query.id));
};

test("aliases, merged fields and fragments keep the order of their first mention", async () => {
  const { ask, executions } = await openSchema(answers);
  const { data } = await ask(`
    query { b: pet(id: 1) { ...F name page { ... { again: next } } } a: pet(id: 2) { id id: id ...F } b: pet(id: 1) { key: id } }
    fragment F on Pet { page { next } id }`);
  expect(JSON.stringify(data)).toBe(
    JSON.stringify({
      b: { page: { next: "after 1", again: "after 1" }, id: "1", name: "Pet 1", key: "1" },
      a: { id: "2", page: { next: "after 2" } },
    }),
  );
  expect(executions).toEqual({ count: 1 });
});

test("@skip and @include follow their variables, and each outcome has its own plan", async () => {
  const { ask, calls, executions } = await openSchema(answers);
  const query = `query ($no: Boolean!, $yes: Boolean = true) {
    person @skip(if: $no) { name mood @include(if: $yes) ... @include(if: $no) { id } } __typename }`;
  const person = { name: "Name 1", mood: "SAD" };
  expect((await ask(query, { no: false })).data).toEqual({ person, __typename: "Query" });
  expect((await ask(query, { no: true })).data).toEqual({ __typename: "Query" });
  expect((await ask(query, { no: false, yes: false })).data).toEqual({
    person: { name: "Name 1" },
    __typename: "Query",
  });
  expect((await ask(query, { no: false })).data).toEqual({ person, __typename: "Query" });
  expect(calls).toHaveLength(3);
  expect(executions).toEqual({ count: 4 });
});

describe("a null condition from a variable with a default", () => {
  const refused = (column: number, path?: readonly (string | number)[]) => ({
    message: 'Argument "if" of non-null type "Boolean!" must not be null.',
    locations: [{ line: 1, column }],
    ...(path && { path }),
    extensions: { code: "BAD_USER_INPUT", argument: "if" },
  });

  test("is an error of each object whose selection has the condition", async () => {
    const { ask, calls } = await openSchema(answers);
    const query = "query ($c: Boolean = true) { person { id } pets { id @skip(if: $c) toys { label } } }";
    const answer = await ask(query, { c: null });
    const { data, errors } = answer as { data: unknown; errors: unknown };
    expect(data).toEqual({ person: { id: "1" }, pets: null });
    expect(errors).toEqual([refused(64, ["pets", 0])]);
    expect(calls.map((call) => call.split(" ")[0]).sort()).toEqual(["person", "pets"]);
    expect((await ask(query, { c: true })).errors).toBeUndefined();
  });

  test("is an error of an operation whose root selection has the condition, and no call is made", async () => {
    const { ask, calls } = await openSchema(answers);
    const answer = await ask(
      "query ($c: Boolean = true) { person { id } ... @include(if: $c) { pets { id } } }",
      {
        c: null,
      },
    );
    expect(answer).toEqual({ data: null, errors: [refused(61)] });
    expect(calls).toEqual([]);
  });
});

test("an operation with more outcomes than kept plans is compiled again", async () => {
  const { ask, executions } = await openSchema(answers);
  const names = Array.from({ length: 5 }, (_, index) => `v${index}`);
  const query = `query (${names.map((name) => `$${name}: Boolean!`).join()}) {
    person { ${names.map((name) => `${name}: id @include(if: $${name})`).join(" ")} __typename } }`;
  for (let outcome = 0; outcome < 32; outcome++) {
    const chosen = names.filter((_, bit) => (outcome >> bit) & 1);
    const variables = Object.fromEntries(names.map((name) => [name, chosen.includes(name)]));
    const expected = { ...Object.fromEntries(chosen.map((name) => [name, "1"])), __typename: "Person" };
    expect((await ask(query, variables)).data).toEqual({ person: expected });
  }
  expect(executions).toEqual({ count: 32 });
});

test("arguments: defaults, variables and their defaults, enums as REST's values", async () => {
  const { ask, calls } = await openSchema(answers);
  await ask(`query ($m: Mood = SAD, $f: Filter, $n: Int) { pets(mood: $m, filter: $f, first: $n) { id } }`);
  await ask(`query ($m: Mood = SAD, $f: Filter) { pets(mood: $m, filter: $f, first: 7) { id } }`, {
    m: null,
    f: { mood: "GLAD" },
  });
  await ask(`{ pets(filter: { text: null }) { id } }`);
  expect(calls).toEqual([
    'pets {"first":2,"mood":"is-sad"}',
    'pets {"first":7,"filter":{"text":"all","mood":"is-glad"},"mood":null}',
    'pets {"first":2,"filter":{"text":null}}',
  ]);
});

test("a variable's value of a custom scalar may be nested up to 100 levels", async () => {
  const { ask, calls } = await openSchema(answers);
  const nested = (open: string, close: string, levels: number): unknown =>
    JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const query = "query ($e: Any) { pet(id: 1, extra: $e) { id } }";
    expect((await ask(query, { e: nested(open, close, 100) })).errors).toBeUndefined();
    for (const levels of [101, 10_000]) {
      const { errors } = await ask(query, { e: nested(open, close, levels) });
      expect(errors?.[0]).toMatchObject({ extensions: { code: "BAD_USER_INPUT" } });
      expect(errors?.[0]?.message).toMatch(/Lists and objects may be nested up to 100 levels/);
    }
  }
  expect(calls).toHaveLength(2);
});

test("integers as ids are projected: no level is completed again for them", async () => {
  let reads = 0;
  const read = (): string => `name ${reads++}`;
  const one = Object.defineProperty({ id: 7 }, "name", { get: read });
  const { ask } = await openSchema(() => [one]);
  expect((await ask("{ pets { name id } }")).data).toEqual({ pets: [{ name: "name 0", id: "7" }] });
});

test("unions and interfaces: each member has its own selection", async () => {
  const { ask } = await openSchema(answers);
  const { data } = await ask(`{
    named { __typename name ... on Team { size } ... on Pet { id } }
    pets { owner { t: __typename ... on Named { name } ... on Person { id mood } ... on Team { id size } } } }`);
  expect(data).toEqual({
    named: [
      { __typename: "Pet", name: "Pet 1", id: "1" },
      { __typename: "Team", name: "Team", size: 3 },
      null,
    ],
    pets: [
      { owner: { t: "Person", name: "Ada", id: "1", mood: "GLAD" } },
      { owner: { t: "Team", name: "All", id: "9", size: 0 } },
    ],
  });
});

test("nested lists, and keys with a special meaning in JavaScript", async () => {
  const { ask } = await openSchema(answers);
  const query = `{ __proto__: pet(id: 5) { __proto__: grid constructor: id toString: page { __proto__: next } keeper { __proto__: boss { __proto__: id } } } }`;
  expect(JSON.stringify((await ask(query)).data)).toBe(
    '{"__proto__":{"__proto__":[[1,2],null,[]],"constructor":"5","toString":{"__proto__":"after 5"},' +
      '"keeper":{"__proto__":{"__proto__":"boss-k"}}}}',
  );
});

test("introspection is an operation like others", async () => {
  const { ask, executions } = await openSchema(answers);
  const { data } = await ask(`{ __schema { queryType { name } } __typename }`);
  expect(data).toEqual({ __schema: { queryType: { name: "Query" } }, __typename: "Query" });
  expect((await ask(`{ __typename }`)).data).toEqual({ __typename: "Query" });
  expect(executions).toEqual({ count: 2 });
});

test.each([
  "{ __schema { queryType { name } } person { name } }",
  '{ person { name } ...A } fragment A on Query { __type(name: "Pet") { name } }',
])("introspection and data in one operation are refused: %s", async (query) => {
  const { ask, calls } = await openSchema(answers);
  const { errors } = await ask(query);
  const message = "an operation asks for introspection or for data, not for both";
  expect(errors).toMatchObject([{ message, extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }]);
  expect(calls).toEqual([]);
});

test("a document that unfolds to too many fields is refused with the limit's name and value", async () => {
  const { ask, calls } = await openSchema(() => [{ kind: "pet", name: "Rex", like: null }]);
  const unfolding = (depth: number): string => (depth > 0 ? `like { name ${unfolding(depth - 1)} }` : "");
  const limit = { code: "LIMIT_EXCEEDED", limit: "MAX_FIELDS", value: 5_000 };
  expect((await ask(`{ named { name ${unfolding(13)} } }`)).errors).toMatchObject([{ extensions: limit }]);
  expect(calls).toEqual([]);
});

test("the condition of a spread counts for nothing once its fragment is collected, as in graphql-js 16", async () => {
  const { ask } = await openSchema(answers);
  const spreads = (first: string, second: string): string =>
    `query ($given: Boolean = false) { ${first} ${second} } fragment F on Query { pet(id: 1) { id } }`;
  expect(await ask(spreads("...F", "...F @include(if: $given)"), { given: null })).toEqual({
    data: { pet: { id: "1" } },
  });
  const refused = await ask(spreads("...F @include(if: $given)", "...F"), { given: null });
  expect(refused.errors?.map(({ message }) => message)).toEqual([
    'Argument "if" of non-null type "Boolean!" must not be null.',
  ]);
});

test("the condition of a spread counts for nothing once its fragment of another type is visited", async () => {
  const { ask } = await openSchema(() => [{ kind: "pet", name: "Rex", like: null }]);
  const query =
    "query ($given: Boolean = false) { named { name ...F ...F @include(if: $given) } } fragment F on Team { size }";
  expect(await ask(query, { given: null })).toEqual({ data: { named: [{ name: "Rex" }] } });
});
