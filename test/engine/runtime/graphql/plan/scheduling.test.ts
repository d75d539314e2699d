/** The order of a plan's calls: queries call in parallel, mutations in series, and no call is repeated. */
import { expect, onTestFinished, test, vi } from "vitest";
import { CodedError } from "../../../../../src/engine/runtime/coded-error.ts";
import { parentsPerPiece } from "../../../../../src/engine/runtime/settings/capacity.ts";
import { freeScope } from "../free-scope.ts";
import { failed, openSchema, people } from "./fixture.ts";

const pet = (id: string, more: object = {}) => ({ id, name: `Pet ${id}`, keeperId: `k${id}`, ...more });

test("links make one call for each level and chunk, with each key once", async () => {
  const pets = ["1", "2", "3", "4", "1"].map((id) => pet(id));
  const { ask, calls } = await openSchema((call, query) => (call === "pets" ? pets : people(query)));
  await ask(`{ pets { keeper { boss { name boss { id } } } } }`);
  expect(calls).toEqual([
    'pets {"first":2}',
    'people {"ids":["k1","k2","k3"]}',
    'people {"ids":["k4"]}',
    'people {"ids":["boss-k1","boss-k2","boss-k3"]}',
    'people {"ids":["boss-k4"]}',
    'people {"ids":["boss-boss-k1","boss-boss-k2","boss-boss-k3"]}',
    'people {"ids":["boss-boss-k4"]}',
  ]);
});

test("lists of a level share one call, and parents without a key make no call", async () => {
  const toys = [
    { label: "ball", makerId: "m1" },
    { label: "bone", makerId: null },
  ];
  const { ask, calls } = await openSchema((call, query) =>
    call === "pets" ? [pet("1", { toys }), pet("2", { toys })] : people(query),
  );
  const { data } = await ask(`{ pets { toys { maker { id } } } }`);
  const both = { toys: [{ maker: { id: "m1" } }, { maker: null }] };
  expect(data).toEqual({ pets: [both, both] });
  expect(calls).toEqual(['pets {"first":2}', 'people {"ids":["m1"]}']);
});

test("each parent gets its own list, in the order of its keys", async () => {
  const { ask } = await openSchema((call, query) => {
    if (call === "petsOf") return [pet("7", { ownerId: "1" }), pet("8", { ownerId: "1" })];
    if (call === "people") return people(query).reverse();
    return [
      { kind: "team", name: "T", memberIds: ["b", "a", null, "b"] },
      { kind: "person", ...people({ ids: ["1"] })[0] },
    ];
  });
  const { data } = await ask(`{ named { ... on Team { members { id } } ... on Person { pets { id } } } }`);
  expect(data).toEqual({
    named: [{ members: [{ id: "b" }, { id: "a" }, null, { id: "b" }] }, { pets: [{ id: "7" }, { id: "8" }] }],
  });
});

test("a long level is completed in pieces, and makes one call for each chunk all the same", async () => {
  const many = 2 * parentsPerPiece + 1;
  const pets = Array.from({ length: many }, (_, id) => pet(`${id}`, { keeperId: `k${id % 3}` }));
  const { ask, calls } = await openSchema((call, query) => (call === "pets" ? pets : people(query)));
  const completed = vi.spyOn(freeScope, "completed");
  const { data } = await ask(`{ pets { keeper { boss { id } } } }`);
  expect((data as { pets: unknown }).pets).toEqual(
    pets.map(({ keeperId }) => ({ keeper: { boss: { id: `boss-${keeperId}` } } })),
  );
  expect(calls).toHaveLength(3);
  expect(completed).toHaveBeenCalledTimes(1 + 3 + 3); // the list, the keepers, their bosses
});

test("the check and the call of large arguments are charged to their caller", async () => {
  const { ask, calls } = await openSchema((call) => pet("1", { call }));
  const during: string[] = [];
  const measured = vi.spyOn(freeScope, "measured").mockImplementation((work) => {
    const before = calls.length;
    const result = work();
    during.push(...calls.slice(before));
    return result;
  });
  onTestFinished(() => measured.mockRestore());
  await ask(`{ pet(id: "1") { name } }`);
  expect(during).toEqual([]);
  const id = "x".repeat(2_000);
  await ask(`{ pet(id: "${id}") { name } }`);
  expect(during).toEqual([`pet {"id":"${id}"}`]);
});

test("a level starts once its parents are complete, and root calls start together", async () => {
  const slow = Promise.withResolvers<unknown>();
  const { ask, calls } = await openSchema((call, query) => {
    if (call === "people") return people(query);
    return call === "pet" ? slow.promise : people({ ids: ["1"] })[0];
  });
  const answer = ask(`{ pet(id: 1) { name } person { boss { id } } }`);
  await expect.poll(() => calls).toEqual(['pet {"id":"1"}', "person", 'people {"ids":["boss-1"]}']);
  slow.resolve(pet("1"));
  expect((await answer).data).toEqual({ pet: { name: "Pet 1" }, person: { boss: { id: "boss-1" } } });
});

test("a mutation starts after the levels below the previous one are complete", async () => {
  const { ask, calls } = await openSchema((call, query) =>
    call === "people" ? people(query) : pet(String(query.name)),
  );
  const { data } = await ask(
    `mutation { a: rename(name: "1") { keeper { id } } b: rename(name: "2") { keeper { id } } }`,
  );
  expect(data).toEqual({ a: { keeper: { id: "k1" } }, b: { keeper: { id: "k2" } } });
  expect(calls).toEqual([
    'rename {"name":"1"}',
    'people {"ids":["k1"]}',
    'rename {"name":"2"}',
    'people {"ids":["k2"]}',
  ]);
});

test("a failed mutation is sent once, and the next one follows unless the whole data is null", async () => {
  const { ask, calls } = await openSchema((_call, { name }) => (name === "bad" ? failed() : pet("1")));
  const one = await ask(`mutation { a: rename(name: "bad") { id } b: rename(name: "good") { id } }`);
  expect(one).toMatchObject({ data: { a: null, b: { id: "1" } }, errors: [{ path: ["a"] }] });
  const two = await ask(`mutation { a: surely(name: "bad") { id } b: rename(name: "good") { id } }`);
  expect(two).toMatchObject({ data: null, errors: [{ path: ["a"] }] });
  expect(calls).toEqual(['rename {"name":"bad"}', 'rename {"name":"good"}', 'surely {"name":"bad"}']);
});

test("after its client has left, a query ends with one error, and every mutation is still sent", async () => {
  const { ask, calls } = await openSchema((call) => {
    if (call === "pets") return ["1", "2", "3"].map((id) => pet(id));
    throw new CodedError("CLIENT_CLOSED_REQUEST", "the client disconnected before the response");
  });
  const query = await ask(`{ pets { keeper { id boss { id } } name } person { name } }`);
  expect(query).toEqual({
    errors: [expect.objectContaining({ message: "the client disconnected before the response" })],
  });
  calls.length = 0;
  const mutation = await ask(`mutation { a: rename(name: "1") { id } b: rename(name: "2") { id } }`);
  expect(mutation).toMatchObject({ data: { a: null, b: null }, errors: [{ path: ["a"] }, { path: ["b"] }] });
  expect(calls).toEqual(['rename {"name":"1"}', 'rename {"name":"2"}']);
});

test("a plan with an internal fault repeats no call", async () => {
  const { ask, calls, executions } = await openSchema((_call, { name }) => pet(String(name)));
  const answer = ask(`mutation { rename(name: "1") { page { broken { id } } } }`);
  await expect(answer).rejects.toThrow("Internal server error"); // a 500 over HTTP
  expect(calls).toEqual(['rename {"name":"1"}']);
  expect(executions).toEqual({ count: 1 });
});
