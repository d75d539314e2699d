/** Links that take an argument of a field above them: each gets the argument of the nearest one. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/arguments-above");

type Call = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
};

/** Requests may share REST's objects: each of these stands in every answer. */
const repository = Object.freeze({ name: "core", owner_id: 7 });
const branch = Object.freeze({ label: "main", protection: Object.freeze({}) });

const answers: Readonly<Record<string, (call: Call) => unknown>> = {
  "/orgs/{org}/repositories/{name}": () => repository,
  "/orgs/{org}/repositories": () => [repository, { name: "site", owner_id: 8 }],
  "/orgs/{org}/repositories/page": () => ({ items: [repository], next: null }),
  "/orgs/{org}/repositories/{repo}/topics": ({ path }) => [`${path?.org} ${path?.repo}`],
  "/orgs/{org}/forks": () => [repository],
  "/orgs/{org}/members": ({ query }) => (query as { ids: number[] }).ids.map((id) => ({ id })),
  "/orgs/{org}/members/{member}/teams": ({ path }) => ({
    items: [{ name: `${path?.org} ${path?.member}` }],
    next: null,
  }),
  "/orgs/{org}/branches/{branch}": () => branch,
  "/orgs/{org}/branches/{branch}/rules": ({ path, query }) => [
    `${path?.org} ${path?.branch} ${query?.stage}`,
  ],
  "/seen": ({ query }) => ({ count: Number(query?.as) }),
  "/orgs/{org}/pushers": ({ body }) => ({ allowed: (body as { member: unknown }).member === 5 }),
};

async function run(query: string, variables = {}, own: typeof answers = {}) {
  const pair = await openPair(folder);
  const calls: string[] = [];
  const call = async (template: unknown, init: unknown, ...steps: unknown[]) => {
    const found = init as Call;
    const url = String(template).replace(/\{(\w+)\}/g, (_, name) => String(found.path?.[name]));
    calls.push([url, ...(found.query?.ids ? [found.query.ids] : [])].join(" "));
    const answer = (own[String(template)] ?? answers[String(template)])?.(found);
    return steps.reduce((value, step) => (value as Record<string, unknown>)[String(step)], answer);
  };
  const { data, errors } = await execute(pair, { query, variables }, { get: call, post: call });
  return { data, errors, calls: calls.sort() };
}

test("each link gets its own field's argument, over shared REST objects", async () => {
  const { data, errors } = await run(
    `query ($b: ID!) {
      a: repository(org: "ann", name: "x") { topics }
      b: repositories(org: $b) { topics }
      c: pages(org: "cat") { edges { node { topics } } }
    }`,
    { b: "bob" },
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    a: { topics: ["ann core"] },
    b: [{ topics: ["bob core"] }, { topics: ["bob site"] }],
    c: { edges: [{ node: { topics: ["cat core"] } }] },
  });
});

test("the nearest field with the argument counts", async () => {
  const { data, errors } = await run(
    `{ repository(org: "ann", name: "x") {
      before: topics
      forks(org: "bob") { topics owner { teams { nodes { name } } } forks(org: "cat") { topics } }
      topics
    } }`,
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    repository: {
      before: ["ann core"],
      forks: [
        {
          topics: ["bob core"],
          owner: { teams: { nodes: [{ name: "bob 7" }] } },
          forks: [{ topics: ["cat core"] }],
        },
      ],
      topics: ["ann core"],
    },
  });
});

test("a batch is one call for the parents of one field", async () => {
  const { data, calls } = await run(
    `{ a: repositories(org: "ann") { owner { id } } b: repositories(org: "bob") { owner { id } } }`,
  );
  const owners = [{ owner: { id: "7" } }, { owner: { id: "8" } }];
  expect(data).toEqual({ a: owners, b: owners });
  expect(calls.filter((call) => call.includes("members"))).toEqual([
    "/orgs/ann/members 7,8",
    "/orgs/bob/members 7,8",
  ]);
});

test("an object without a key takes several arguments; enums and numbers are REST's", async () => {
  const { data, errors } = await run(
    `{ branch(org: "ann", name: "main", as: 5) { protection { rules seen allowed } }
       draft: branch(org: "ann", name: "main", stage: DRAFT) { protection { rules } } }`,
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    branch: { protection: { rules: ["ann main live-stage"], seen: 5, allowed: true } },
    draft: { protection: { rules: ["ann main draft-stage"] } },
  });
});

test("without the argument's value there is no call, and the field is null", async () => {
  const { data, errors, calls } = await run(
    `query ($as: ID) {
      branch(org: "ann", name: "main") { protection { seen allowed } }
      null: branch(org: "ann", name: "main", as: $as) { protection { seen } }
    }`,
    { as: null },
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    branch: { protection: { seen: null, allowed: null } },
    null: { protection: { seen: null } },
  });
  expect(calls.filter((call) => !call.includes("branches"))).toEqual([]);
});

test("a value beyond the link's own limits is refused by its name, before the link's call", async () => {
  const { data, errors, calls } = await run(
    `{ branch(org: "ann", name: "old", as: 5) { label protection { rules allowed } }
       wide: branch(org: "ann", name: "main", as: "12345678901234567") { protection { rules allowed } } }`,
  );
  const wide = '"as" does not have the form that it needs: ^-?[0-9]{1,15}$';
  expect(errors).toMatchObject([
    {
      message: 'argument "name" must be one of main, next',
      path: ["branch", "protection", "rules"],
      extensions: { code: "BAD_USER_INPUT", argument: "name" },
    },
    { message: `argument ${wide}`, path: ["wide", "protection", "allowed"] },
  ]);
  expect(data).toEqual({
    branch: { label: "main", protection: { rules: null, allowed: true } },
    wide: { protection: { rules: ["ann main live-stage"], allowed: null } },
  });
  expect(calls.filter((call) => call.includes("rules") || call.includes("pushers"))).toHaveLength(2);
});

test("a batch refuses such a value once, and calls for the other parents", async () => {
  const long = "an organisation with a long name";
  const { data, errors, calls } = await run(
    `{ a: repositories(org: "ann") { owner { id } } b: repositories(org: "${long}") { name owner { id } } }`,
  );
  expect(errors).toMatchObject([
    {
      message: 'argument "org" must be at most 20 characters long',
      path: ["b", 0, "owner"],
      extensions: { places: 2 },
    },
  ]);
  expect(data).toEqual({
    a: [{ owner: { id: "7" } }, { owner: { id: "8" } }],
    b: [
      { name: "core", owner: null },
      { name: "site", owner: null },
    ],
  });
  expect(calls.filter((call) => call.includes("members"))).toEqual(["/orgs/ann/members 7,8"]);
});

test("a refusal by REST names the client's argument", async () => {
  const refuse = () => {
    throw new CodedError("BAD_USER_INPUT", "no", { argument: "branch", operation: "listRules" });
  };
  const { errors } = await run(
    `{ branch(org: "ann", name: "main") { protection { rules } } }`,
    {},
    {
      "/orgs/{org}/branches/{branch}/rules": refuse,
    },
  );
  expect(errors).toMatchObject([
    {
      message: 'argument "name" is not accepted. It must be one of main, next.',
      extensions: { argument: "name" },
    },
  ]);
});

test("what a mutation returns knows the mutation's argument", async () => {
  const { data, errors } = await run(
    `mutation { addRepository(org: "ann", name: "x") { topics } }`,
    {},
    { "/orgs/{org}/repositories": () => repository },
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({ addRepository: { topics: ["ann core"] } });
});
