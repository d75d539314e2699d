/** Maps of REST that fields show as lists of their entries, with links by their keys and values. */
import { join } from "node:path";
import { type OperationDefinitionNode, parse } from "graphql";
import { expect, test } from "vitest";
import { compilePlan } from "../../../../src/engine/runtime/graphql/plan/compile-plan.ts";
import { entries, entriesFrom } from "../../../../src/engine/runtime/rest/property.ts";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/maps");

/** As JSON.parse reads it: `__proto__` is a key like any other. */
const scores = JSON.parse(
  '{ "bob": { "points": 2, "teamId": "t1" }, "__proto__": { "points": 1 }, "10": { "points": 3 }, "9": { "points": 4, "teamId": null } }',
);
const board = {
  seasons: { summer: { "2026-07-01": ["x"] }, winter: null },
  "all-totals": { b: 2, sum: 0.5 },
  prizes: { first: { kind: "cup", height: 3 }, second: { kind: "money", amount: 9.5 } },
  isOpen: true,
};

type Init = { readonly query?: { readonly players?: readonly string[]; readonly ids?: readonly string[] } };

async function open(over: Readonly<Record<string, unknown>> = {}) {
  const pair = await openPair(folder);
  const calls: unknown[] = [];
  const get = async (...[path, init, ...result]: unknown[]) => {
    calls.push(init ? [path, init] : [path]);
    if (String(path) in over) return over[String(path)];
    const { query } = (init ?? {}) as Init;
    if (path === "/scores") return (result.length > 0 && scores) || null;
    if (path === "/rounds") return [{ ann: 1, bob: 2 }, {}];
    if (path === "/board") return board;
    if (path === "/ranks")
      return Object.fromEntries((query?.players ?? []).map((name, place) => [name, place]));
    if (path === "/profiles") return [{ id: "bob", name: "Bob" }];
    return { id: "t1", name: "Team 1" };
  };
  return { calls, ask: (query: string) => execute(pair, { query }, { get }) };
}

test("an entry has its key and its value, and links take both", async () => {
  const { ask, calls } = await open();
  const { data, errors } = await ask(
    "{ scores { player points team { name } profile { name } rank { place } } rounds { key value } }",
  );
  expect(errors).toBeUndefined();
  const none = { team: null, profile: null };
  expect(data).toEqual({
    // JavaScript puts keys that are integers before the others
    scores: [
      { player: "9", points: 4, ...none, rank: { place: 0 } },
      { player: "10", points: 3, ...none, rank: { place: 1 } },
      { player: "bob", points: 2, team: { name: "Team 1" }, profile: { name: "Bob" }, rank: { place: 2 } },
      { player: "__proto__", points: 1, ...none, rank: { place: 3 } },
    ],
    rounds: [
      [
        { key: "ann", value: 1 },
        { key: "bob", value: 2 },
      ],
      [],
    ],
  });
  const players = ["9", "10", "bob", "__proto__"];
  expect(calls).toContainEqual(["/profiles", { query: { ids: players } }]);
  expect(calls).toContainEqual(["/ranks", { query: { players } }]);
  expect(calls).toContainEqual(["/teams/{id}", { path: { id: "t1" } }]);
  expect(calls).toHaveLength(5);
});

const boardQuery = `{ board {
  seasons { name days { date marks } } totals { key value } everything { key value }
  prizes { key value { __typename ... on Cup { height } ... on Money { amount } } }
} }`;

test("maps of maps, of lists, of scalars and of unions are lists of entries", async () => {
  const { ask } = await open();
  const { data, errors } = await ask(boardQuery);
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    board: {
      seasons: [
        { name: "summer", days: [{ date: "2026-07-01", marks: ["x"] }] },
        { name: "winter", days: null },
      ],
      totals: [
        { key: "b", value: 2 },
        { key: "sum", value: 0.5 },
      ],
      everything: Object.entries(board).map(([key, value]) => ({ key, value })),
      prizes: [
        { key: "first", value: { __typename: "Cup", height: 3 } },
        { key: "second", value: { __typename: "Money", amount: 9.5 } },
      ],
    },
  });
});

test("a value that is no map is an error of its field", async () => {
  for (const wrong of ["text", 7, true, [1], [[]]]) {
    const { ask } = await open({ "/board": { ...board, seasons: wrong }, "/rounds": wrong });
    const { data, errors } = await ask("{ board { seasons { name } } rounds { key } }");
    const isEmptyList = Array.isArray(wrong) && Array.isArray(wrong[0]);
    expect(data).toEqual({ board: { seasons: null }, rounds: isEmptyList ? [[]] : null });
    const codes = (errors ?? []).map(({ path, extensions }) => [path?.[0], extensions?.code]);
    expect(new Set(codes.map(String))).toEqual(
      new Set(["board,BAD_UPSTREAM_RESPONSE", ...(isEmptyList ? [] : ["rounds,BAD_UPSTREAM_RESPONSE"])]),
    );
  }
});

test("the entries of a map are made with the object that has it, and are no calls of the plan", async () => {
  const { schema } = await openPair(folder);
  const [operation] = parse(boardQuery).definitions as [OperationDefinitionNode];
  const plan = compilePlan(operation, { schema, fragments: {}, variables: {}, maxFields: 100 });
  const [board] = plan?.root.bound ?? [];
  expect(board?.selections.get("Board")?.fields.map(({ source }) => source.kind)).toContain("computed");
  expect(board?.selections.get("Board")?.bound).toEqual([]);
});

test("null stays null, and no entry is one that an object inherits", async () => {
  expect(entries("map")({ map: null })).toBeNull();
  expect(entries("map")({})).toBeUndefined();
  expect(entries("constructor")({} as { constructor?: never })).toBeUndefined();
  expect(entries()(Object.create({ inherited: 1 }))).toEqual([]);
  expect(await entriesFrom(Promise.resolve(null))).toBeNull();
});
