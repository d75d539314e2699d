/** Fields that read a property of a nested REST object, below lists, batched links and unions. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { propertyAt } from "../../../../src/engine/runtime/rest/property.ts";
import { execute, openPair } from "./pairs.ts";

const folder = join(import.meta.dirname, "../../build/codegen/cases/deep-names");
const user = (login: string) => ({ login, contact: { emails: [`${login}@a.example`] } });
const repository = { name: "r", owner: user("ann"), "owner.name": "Ann" };

const answers: Readonly<Record<string, unknown>> = {
  "/repositories": [
    { ...repository, parent: { owner: user("bob"), topics: [user("eve")] } },
    { ...repository, parent: null },
    repository,
  ],
  "/users": [user("ann")],
  "/events": [
    { kind: "push", by: user("bob") },
    { kind: "fork", of: repository },
  ],
};

const query = `{
  repositories { ownerLogin ownerEmails ownerName parentLogin watchers { emails } owner { login emails } }
  events { __typename ... on Push { login } ... on Fork { login } }
}`;

test("a value is found step by step, and is null where a step is", async () => {
  const pair = await openPair(folder);
  const { data, errors } = await execute(pair, { query }, { get: async (path) => answers[String(path)] });
  expect(errors).toBeUndefined();
  const own = {
    ownerLogin: "ann",
    ownerEmails: ["ann@a.example"],
    ownerName: "Ann",
    owner: { login: "ann", emails: ["ann@a.example"] },
  };
  expect(data).toEqual({
    repositories: [
      { ...own, parentLogin: "bob", watchers: [{ emails: ["eve@a.example"] }] },
      { ...own, parentLogin: null, watchers: null },
      { ...own, parentLogin: null, watchers: null },
    ],
    events: [
      { __typename: "Push", login: "bob" },
      { __typename: "Fork", login: "ann" },
    ],
  });
});

test("a step that is no object is an error of that field alone", async () => {
  const pair = await openPair(folder);
  for (const parent of ["text", [user("bob")], { owner: 7 }, { owner: [] }]) {
    const get = async () => [{ ...repository, parent }];
    const { data, errors } = await execute(pair, { query: "{ repositories { name parentLogin } }" }, { get });
    expect(data).toEqual({ repositories: [{ name: "r", parentLogin: null }] });
    expect(errors).toMatchObject([
      { path: ["repositories", 0, "parentLogin"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    ]);
  }
});

test("no step finds a property that every object inherits", () => {
  expect(propertyAt("owner", "constructor")({ owner: {} })).toBeUndefined();
  expect(propertyAt("toString", "name")({})).toBeNull();
  expect(propertyAt("owner", "constructor")(JSON.parse('{ "owner": { "constructor": 1 } }'))).toBe(1);
});
