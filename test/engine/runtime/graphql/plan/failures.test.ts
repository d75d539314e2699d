/** A failure's null bubbles to the nearest nullable position, and its error has the path of the failure (§6.4.4). */
import { expect, test } from "vitest";
import { CodedError } from "../../../../../src/engine/runtime/coded-error.ts";
import { failed, openSchema, people } from "./fixture.ts";

const pet = (id: string, more: object = {}) => ({ id, name: `Pet ${id}`, keeperId: id, ...more });
const contract = "REST sent a value that breaks its contract";

test("one root field fails, and its siblings have data", async () => {
  const { ask } = await openSchema((call) => (call === "pet" ? failed() : people({ ids: ["1"] })[0]));
  expect(await ask(`{ person { name }\n pet(id: 1) { name } }`)).toEqual({
    data: { person: { name: "Name 1" }, pet: null },
    errors: [
      {
        message: "it failed",
        path: ["pet"],
        locations: [{ line: 2, column: 2 }],
        extensions: { code: "UPSTREAM_ERROR" },
      },
    ],
  });
});

test("a forbidden null bubbles through the list to the nearest nullable field", async () => {
  const { ask, calls } = await openSchema((call) =>
    call === "pets" ? [pet("1"), pet("2", { name: null }), pet("3", { name: null })] : people({ ids: ["1"] }),
  );
  expect(await ask(`{ pets { id name keeper { id } } }`)).toMatchObject({
    data: { pets: null },
    errors: [{ message: contract, path: ["pets", 1, "name"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } }],
  });
  expect(calls).toEqual(['pets {"first":2}']); // no call for objects that became null
});

test("a value of a wrong type is an error at its own path, inside lists too", async () => {
  const grid = [[1, "x", 2], "no list", [null]];
  const { ask } = await openSchema(() => ({
    id: { no: "id" },
    name: "n",
    grid,
    page: 1,
    toys: { no: "list" },
  }));
  const { data, errors } = await ask(`{ pet(id: 1) { name grid toys { label } } }`);
  expect(data).toEqual({ pet: { name: "n", grid: [null, null, null], toys: null } });
  expect(errors?.map(({ path }) => path)).toEqual([
    ["pet", "grid", 0, 1],
    ["pet", "grid", 1],
    ["pet", "grid", 2, 0],
    ["pet", "toys"],
  ]);
  expect(await ask(`{ pet(id: 1) { id } }`)).toMatchObject({
    data: { pet: null },
    errors: [{ path: ["pet", "id"] }],
  });
});

test("a null at a level of @semanticNonNull is an error at its own path, and stays null; at another level it is null", async () => {
  const { ask } = await openSchema(() => ({ id: "1", name: "n", sure: [[1, null], null, []], toys: null }));
  expect(await ask("{ pet(id: 1) { sure toys { label } } }")).toMatchObject({
    data: { pet: { sure: [[1, null], null, []], toys: null } },
    errors: [
      { message: contract, path: ["pet", "sure", 0, 1], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    ],
  });
  const other = await openSchema(() => ({ id: "1", name: "n", sure: null, toys: [null, { label: "x" }] }));
  const { data, errors } = await other.ask("{ pet(id: 1) { sure toys { label } } }");
  expect(data).toEqual({ pet: { sure: null, toys: [null, { label: "x" }] } });
  expect(errors?.map(({ path }) => path)).toEqual([
    ["pet", "sure"],
    ["pet", "toys", 0],
  ]);
});

const vetFails = (): never => {
  throw new CodedError("UPSTREAM_ERROR", "getVet: it failed", { operation: "getVet" });
};

test("a link that is called for each parent and fails alike for some is one error", async () => {
  const { ask } = await openSchema((call, { id }) =>
    call === "pets"
      ? ["1", "2", "3"].map((each) => pet(each))
      : id === "2"
        ? people({ ids: ["v"] })[0]
        : vetFails(),
  );
  expect(await ask("{ pets { vet { id } } }")).toMatchObject({
    data: { pets: [{ vet: null }, { vet: { id: "v" } }, { vet: null }] },
    errors: [
      {
        message: "getVet: it failed",
        path: ["pets", 0, "vet"],
        extensions: { code: "UPSTREAM_ERROR", places: 2, indexes: ["0", "2"] },
      },
    ],
  });
});

test("a null in a list of keys is an error of its list, unless the document allows it", async () => {
  const teams = [["a", null], ["b"]].map((memberIds) => ({ kind: "team", name: "T", memberIds }));
  const { ask } = await openSchema((call, query) => (call === "named" ? teams : people(query)));
  expect(await ask("{ named { ... on Team { members { id } allMembers { id } } } }")).toMatchObject({
    data: {
      named: [
        { members: [{ id: "a" }, null], allMembers: null },
        { members: [{ id: "b" }], allMembers: [{ id: "b" }] },
      ],
    },
    errors: [{ path: ["named", 0, "allMembers"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } }],
  });
});

test("a key that was rounded when it was parsed is an error, and nothing is asked for it", async () => {
  const exact = JSON.parse("9007199254740991");
  const rounded = JSON.parse("12345678901234567890");
  const { ask, calls } = await openSchema((call, query) =>
    call === "pets" ? [pet(exact, { keeperId: exact }), pet("2", { keeperId: rounded })] : people(query),
  );
  const { data, errors } = await ask("{ pets { id keeper { name } } }");
  expect(data).toEqual({
    pets: [
      { id: "9007199254740991", keeper: { name: `Name ${exact}` } },
      { id: "2", keeper: null },
    ],
  });
  expect(errors).toMatchObject([
    { path: ["pets", 1, "keeper"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
  expect(calls.filter((call) => call.startsWith("people"))).toEqual([`people {"ids":[${exact}]}`]);
});

test("an unknown union member is an error of its own object", async () => {
  const { ask } = await openSchema(() => [{ kind: "pet", name: "Rex" }, { kind: "robot" }, "text"]);
  const { data, errors } = await ask(`{ named { name } }`);
  expect(data).toEqual({ named: [{ name: "Rex" }, null, null] });
  expect(errors).toMatchObject([
    { path: ["named", 1], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    { path: ["named", 2], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
});

test("a failed chunk is an error of its own parents", async () => {
  const { ask } = await openSchema((call, query) => {
    if (call === "pets") return ["1", "2", "3", "4"].map((id) => pet(id));
    return (query.ids as string[]).includes("4") ? failed() : people(query);
  });
  const { data, errors } = await ask(`{ pets { keeper { id } } }`);
  expect(data).toEqual({
    pets: [{ keeper: { id: "1" } }, { keeper: { id: "2" } }, { keeper: { id: "3" } }, { keeper: null }],
  });
  expect(errors).toMatchObject([{ path: ["pets", 3, "keeper"], message: "it failed" }]);
});

test("a parent whose keys are not a list fails alone", async () => {
  const team = (memberIds: unknown) => ({ kind: "team", name: "T", memberIds });
  const { ask } = await openSchema((call, query) =>
    call === "named" ? [team("no list"), team(["a"]), team(0), team(null)] : people(query),
  );
  const { data, errors } = await ask(`{ named { ... on Team { members { id } } } }`);
  expect(data).toEqual({
    named: [{ members: null }, { members: [{ id: "a" }] }, { members: null }, { members: null }],
  });
  expect(errors).toMatchObject([
    { path: ["named", 0, "members"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    { path: ["named", 2, "members"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    { path: ["named", 3, "members"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
});

test("a parent with an invalid key fails alone, and an item without a key matches no parent", async () => {
  const none = { toString: 1, valueOf: null };
  const { ask, calls } = await openSchema((call, query) =>
    call === "pets"
      ? [
          pet("1"),
          pet("2", { keeperId: none }),
          pet("3", { keeperId: null }),
          pet("4", { keeperId: "\ud800" }),
        ]
      : [{ id: none, name: "None" }, null, ...people(query)],
  );
  const { data, errors } = await ask(`{ pets { keeper { id } } }`);
  expect(data).toEqual({
    pets: [{ keeper: { id: "1" } }, { keeper: null }, { keeper: null }, { keeper: null }],
  });
  expect(errors).toMatchObject([
    { path: ["pets", 1, "keeper"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    { path: ["pets", 2, "keeper"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
    { path: ["pets", 3, "keeper"], extensions: { code: "BAD_UPSTREAM_RESPONSE" } },
  ]);
  expect(calls.filter((call) => call.startsWith("people"))).toEqual(['people {"ids":["1"]}']);
});

test("a response that is not a list fails the link of all its parents", async () => {
  const { ask } = await openSchema((call) => (call === "pets" ? [pet("1"), pet("2")] : { id: "1" }));
  const { data, errors } = await ask(`{ pets { keeper { id } } }`);
  expect(data).toEqual({ pets: [{ keeper: null }, { keeper: null }] });
  expect(errors).toMatchObject([
    { path: ["pets", 0, "keeper"], extensions: { code: "BAD_UPSTREAM_RESPONSE", places: 2 } },
  ]);
});

test("the null of a non-null link bubbles to its object at any depth", async () => {
  const { ask, calls } = await openSchema((call, query) => {
    if (call === "pets") return [pet("1"), pet("2")];
    return people({ ids: (query.ids as string[]).filter((id) => id !== "boss-2") });
  });
  const { data, errors } = await ask(`{ pets { keeper { id bossOrNot { id boss { id } } } } }`);
  expect(data).toEqual({
    pets: [
      { keeper: { id: "1", bossOrNot: { id: "boss-1", boss: { id: "boss-boss-1" } } } },
      { keeper: null },
    ],
  });
  expect(errors).toMatchObject([{ path: ["pets", 1, "keeper", "bossOrNot"], message: contract }]);
  expect(calls.at(-1)).toBe('people {"ids":["boss-boss-1"]}');
});

test("with union members that share a key, a null bubbles in its own object", async () => {
  const home = { city: "Bern", room: { city: "Room", keeperId: "gone" } };
  const pets = [
    pet("1", { owner: { kind: "person", home } }),
    pet("2", { owner: { kind: "team", name: "T", home } }),
  ];
  const { ask } = await openSchema((call) => (call === "pets" ? pets : []));
  const query = `{ pets { owner { ... on Person { home { room { keeper { id } } } } ... on Team { home { city } } } } }`;
  const { data, errors } = await ask(query);
  expect(data).toEqual({
    pets: [{ owner: { home: { room: null } } }, { owner: { home: { city: "Bern" } } }],
  });
  expect(errors).toMatchObject([{ path: ["pets", 0, "owner", "home", "room", "keeper"], message: contract }]);
});

test("a member's key that every object inherits is not read from other members", async () => {
  const home = { city: "Bern", keeperId: "gone" };
  const { ask } = await openSchema((call) => (call === "named" ? [{ kind: "team", name: "T", home }] : []));
  const query = `{ named { ... on Pet { __proto__: toys { label } } ... on Team { home { keeper { id } } } } }`;
  const { data, errors } = await ask(query);
  expect(data).toEqual({ named: [{ home: null }] });
  expect(errors).toMatchObject([{ path: ["named", 0, "home", "keeper"], message: contract }]);
});

test("the null of a non-null root field nulls the whole data", async () => {
  const { ask } = await openSchema((call) => (call === "sure" ? failed() : people({ ids: ["1"] })[0]));
  expect(await ask(`{ person { boss { name } } sure { name } }`)).toMatchObject({
    data: null,
    errors: [{ path: ["sure"], message: "it failed" }],
  });
});

test("an internal fault is masked", async () => {
  const { ask } = await openSchema(() => {
    throw new TypeError("secret");
  });
  const { errors } = await ask(`{ person { name } }`);
  expect(errors).toMatchObject([{ path: ["person"], message: "internal error" }]);
  expect(JSON.stringify(errors)).not.toContain("secret");
});

test("an integer that Int cannot hold is said to be one: REST's contract may allow it", async () => {
  const { ask } = await openSchema(() => [pet("1", { grid: [[1_700_000_000_000]] })]);
  const { errors } = (await ask("{ pets { grid } }")) as { errors: { message: string }[] };
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("more than 32 bits")]);
});
