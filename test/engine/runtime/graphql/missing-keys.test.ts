/** Links whose parent lacks the key: an error where the document requires it, null without a call where it may be absent. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, openPair } from "./pairs.ts";

const cases = join(import.meta.dirname, "../../build/codegen/cases");
const code = "BAD_UPSTREAM_RESPONSE";

/** Executes a query over these answers, and returns the paths that were called too. */
async function run(name: string, query: string, answers: Readonly<Record<string, unknown>>) {
  const calls: string[] = [];
  const get = async (path: unknown, _init: unknown, ...result: unknown[]) => {
    calls.push(String(path));
    const answer = answers[String(path)];
    return result.length > 0 ? (answer as Record<string, unknown>)[String(result[0])] : answer;
  };
  const { data, errors } = await execute(await openPair(join(cases, name)), { query }, { get, find: get });
  return { data, errors, calls };
}

test.each([[{}], [{ name: null }]])(
  "a key %j that the document requires is an error, and there is no unfiltered call",
  async (parent) => {
    const { data, errors, calls } = await run(
      "arguments-above",
      `{ repository(org: "ann", name: "x") { forks(org: "bob") { name } topics } }`,
      { "/orgs/{org}/repositories/{name}": { owner_id: 7, ...parent }, "/orgs/{org}/forks": [{ name: "y" }] },
    );
    expect(data).toEqual({ repository: { forks: null, topics: null } });
    expect(errors).toMatchObject([
      { path: ["repository", "forks"], extensions: { code } },
      { path: ["repository", "topics"], extensions: { code } },
    ]);
    expect(calls).toEqual(["/orgs/{org}/repositories/{name}"]);
  },
);

test("a key that may be absent is null, and there is no unfiltered call", async () => {
  const query = "{ order(id: 1) { shelves { amount } } }";
  const answers = { "/orders/{id}": { id: "1", house: null }, "/stock": [{ amount: 1 }] };
  const { data, errors, calls } = await run("links", query, answers);
  expect([data, errors, calls]).toEqual([{ order: { shelves: null } }, undefined, ["/orders/{id}"]]);
});

test("an empty list of keys gives an empty list, and there is no unfiltered call", async () => {
  const query = `{ team(id: 1) {
    members { id } guests { id } ages { key } found { id }
    readers { nodes { id } edges { cursor } pageInfo { hasNextPage endCursor } }
    badges { holders { id } owner { id } }
  } }`;
  const everybody = [{ id: "not asked for", badge_id: "b" }];
  const team = { id: "1", member_ids: [], access: { guest_ids: [] }, badges: [{ id: "b" }] };
  const answers = Object.fromEntries(
    ["/people", "/ages", "/owners"].map((path) => [path, everybody] as const),
  );
  const { data, errors, calls } = await run("key-lists", query, {
    ...answers,
    "/teams/{id}": team,
    "/invited": { people: everybody },
    "/readers/{ids}": { people: everybody },
    "/found": [],
  });
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    team: {
      members: [],
      guests: [],
      ages: [],
      found: [],
      readers: { nodes: [], edges: [], pageInfo: { hasNextPage: false, endCursor: null } },
      badges: [{ holders: [], owner: null }],
    },
  });
  expect(calls).toEqual(["/teams/{id}", "/found"]);
});

test("a list of keys that is absent is no empty one", async () => {
  const query = "{ team(id: 1) { members { id } guests { id } readers { nodes { id } } } }";
  const { data, errors, calls } = await run("key-lists", query, { "/teams/{id}": { id: "1", badges: [] } });
  expect(data).toEqual({ team: { members: null, guests: null, readers: null } });
  expect(errors).toMatchObject([
    { path: ["team", "members"], extensions: { code } },
    { path: ["team", "readers"], extensions: { code } },
  ]);
  expect(calls).toEqual(["/teams/{id}"]);
});

test("a parent without the key of a batch is an error alone", async () => {
  const { data, errors } = await run("deep-names", "{ repositories { owner { login } } }", {
    "/repositories": [{ owner: { login: "ann" } }, { owner: null }, {}],
    "/users": [{ login: "ann" }],
  });
  expect(data).toEqual({ repositories: [{ owner: { login: "ann" } }, { owner: null }, { owner: null }] });
  expect(errors).toMatchObject(
    [1, 2].map((at) => ({ path: ["repositories", at, "owner"], extensions: { code } })),
  );
});

test.each([[null], [{ team: "a" }], [{ id: null }], [{ id: {} }]])(
  "a batch with an item %j has no answer for the keys that it did not find",
  async (item) => {
    const { data, errors } = await run("whole-lists", "{ tickets { agent { id } } }", {
      "/tickets": [
        { id: "a", agent_id: 1 },
        { id: "b", agent_id: 2 },
      ],
      "/agents": { data: [{ id: "1", team: "a" }, item] },
    });
    expect(data).toEqual({ tickets: [{ agent: { id: "1" } }, { agent: null }] });
    expect(errors).toMatchObject([{ path: ["tickets", 1, "agent"], extensions: { code } }]);
  },
);
