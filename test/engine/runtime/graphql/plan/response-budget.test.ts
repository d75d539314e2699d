/** The size of a response is bounded, even if REST sent little data. A response over the bound becomes one error. */

import { describe, expect, test } from "vitest";
import {
  createResponseBudget,
  spendLeaf,
} from "../../../../../src/engine/runtime/graphql/plan/response-budget.ts";
import { openSchema, people } from "./fixture.ts";

const pets = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: "Rex", keeperId: "k", ...more }));
const answers = (count: number, more?: object) => (call: string, query: Record<string, unknown>) =>
  call === "pets" ? pets(count, more) : people(query);

const bound = { MAX_ANSWER_BYTES: "20000" };
const over = [
  {
    message: "an answer may have at most 20000 bytes",
    extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_ANSWER_BYTES", value: 20_000 },
  },
];

describe.each([
  ["many objects", 2_000, {}, "{ pets { id } }"],
  ["long strings", 10, { name: "x".repeat(3_000) }, "{ pets { name } }"],
  ["long aliases", 100, {}, `{ pets { ${"a".repeat(100)}: id ${"b".repeat(100)}: id } }`],
  ["lists of lists", 100, { grid: [Array(300).fill(1)] }, "{ pets { grid } }"],
  ["long texts of a custom scalar", 10, { extra: { a: ["x".repeat(3_000)] } }, "{ pets { extra } }"],
  ["many numbers of a custom scalar", 10, { extra: Array(1_500).fill(1) }, "{ pets { extra } }"],
  ["names of a custom scalar", 10, { extra: { ["n".repeat(3_000)]: 1 } }, "{ pets { extra } }"],
  ["one parent for many", 800, {}, "{ pets { keeper { name home { city } } } }"],
  ["objects of a level that fails in part", 2_000, { name: 7 }, "{ pets { like { name } id } }"],
  ["errors", 11, { grid: "none" }, "{ pets { grid } }"],
  ["errors of links", 11, { keeperId: { a: 1 } }, "{ pets { keeper { name } } }"],
])("%s", (_what, count, more, query) => {
  test("become one error over MAX_ANSWER_BYTES", async () => {
    const { ask, calls } = await openSchema(answers(count, more), bound);
    expect(await ask(query)).toEqual({ errors: over });
    expect(calls.length).toBeLessThan(5 + count / 3);
  });

  test("are sent within MAX_ANSWER_BYTES", async () => {
    const { ask } = await openSchema(answers(2, more), bound);
    expect((await ask(query)).data).toMatchObject({ pets: [{}, {}] });
  });
});

test("the completion counts a level anew after the projection refused it", async () => {
  const answer = [...pets(300), { id: "300", name: null }];
  const { ask } = await openSchema(() => answer, { MAX_ANSWER_BYTES: "12000" });
  const { data, errors } = await ask("{ pets { id name } }");
  expect([data, errors?.[0]?.message]).toEqual([
    { pets: null },
    "REST sent a value that breaks its contract",
  ]);
});

test("errors of one field share its location, and each has its own path", async () => {
  const { ask } = await openSchema(answers(3, { grid: "none" }));
  const { errors } = await ask("{ pets { id\n grid } }");
  expect(errors).toHaveLength(3);
  for (const [index, error] of errors?.entries() ?? [])
    expect(error).toMatchObject({ locations: [{ line: 2, column: 2 }], path: ["pets", index, "grid"] });
});

const aliases = Array.from({ length: 30 }, (_, index) => `a${index}: extra`).join(" ");

test("a value of a custom scalar is read once, however often the response repeats it", async () => {
  let reads = 0;
  const extra = {
    get text() {
      reads++;
      return "x".repeat(3_000);
    },
  };
  const { ask } = await openSchema(answers(1, { extra }), bound);
  expect(await ask(`{ pets { ${aliases} } }`)).toEqual({ errors: over });
  expect(reads).toBe(1);
});

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

test("a value of a custom scalar that is nested too deeply is an error in its place", async () => {
  const { ask } = await openSchema(() => [
    ...pets(1, { extra: nested(1_000) }),
    ...pets(1, { extra: nested(1_001) }),
  ]);
  const { data, errors } = await ask("{ pets { id extra } }");
  expect(data).toEqual({
    pets: [
      { id: "0", extra: nested(1_000) },
      { id: "0", extra: null },
    ],
  });
  expect(errors).toMatchObject([
    { path: ["pets", 1, "extra"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
});

test.each(["1e400", "-1e400", '{"a":[1e400]}'])(
  "a number beyond a double's range in a custom scalar is an error, and not null: %s",
  (text) => {
    const spent = () => spendLeaf(createResponseBudget(1_000), JSON.parse(text));
    expect(spent).toThrow("A number of a custom scalar is too large for JSON.");
    expect(spendLeaf(createResponseBudget(1_000), 1e300)).toBe(1e300);
  },
);
