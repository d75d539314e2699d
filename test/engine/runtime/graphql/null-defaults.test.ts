/** A default stands in for an omitted value, and an explicit null does not (GraphQL spec §6.4.1): REST never lacks it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/null-defaults");

type Init = Readonly<Record<"query" | "body", unknown>>;

/** What REST gets, and the errors of the answer. */
async function run(query: string, variables = {}) {
  const pair = await openPair(folder);
  const sent: unknown[] = [];
  const call = async (_path: unknown, init: unknown) => {
    const { query, body } = init as Init;
    sent.push(JSON.parse(JSON.stringify(body ?? query)));
    return _path === "/rooms" ? [] : { name: "A" };
  };
  const { errors } = await execute(pair, { query, variables }, { get: call, post: call });
  return { sent, errors: errors?.map(({ message, extensions }) => `${extensions?.code} ${message}`) };
}

test.each([
  ["{ rooms(page: null) { name } }", { building: "A", floor: 1, limit: null }],
  ["{ found { name } }", { building: "A", floor: 2 }],
  ["{ found(where: {}) { name } }", { building: "A", floor: 3 }],
  ["mutation { book { name } }", { building: "B", seats: 2, note: "none", until: "noon" }],
  [
    "mutation { book(input: { note: null, until: null }) { name } }",
    { building: "A", seats: 2, until: null },
  ],
  ["mutation { hold(note: null, until: null) { name } }", { seats: 2, until: null }],
])("%s is sent", async (query, expected) => {
  expect(await run(query)).toEqual({ sent: [expected], errors: undefined });
});

test.each([
  ["{ rooms(building: null) { name } }", "building"],
  ["query ($none: String) { rooms(building: $none) { name } }", "building"],
  ["{ found(where: null) { name } }", "where"],
  ["{ found(where: { floor: null }) { name } }", "where.floor"],
  ["mutation { book(input: { seats: null }) { name } }", "input.seats"],
  ["mutation { hold(seats: null) { name } }", "seats"],
])("%s is refused by the name of %s", async (query, argument) => {
  expect(await run(query, { none: null })).toEqual({
    sent: [],
    errors: [`BAD_USER_INPUT argument "${argument}" must not be null`],
  });
});

test("a link refuses the null of an argument above", async () => {
  expect(await run("{ building(floor: null) { name rooms { name } } }")).toEqual({
    sent: [{ floor: null }],
    errors: ['BAD_USER_INPUT argument "floor" must not be null'],
  });
});
