/** A field that no longer binds hides nothing that the same edit breaks below it. */
import { describe, expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";

const text = { type: "string" };
const object = (properties: object): object => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});
const list = (items: object): object => ({ type: "array", items });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const owner = object({ name: text, city: text });
const pet = object({ id: text, name: text, owner: ref("Owner") });

type Document = {
  readonly path?: string;
  readonly pets?: object;
  readonly Pet?: object;
  readonly Owner?: object;
};

const pets = object({ items: list(ref("Pet")), next: text });

function document({ path = "/pets", pets: schema = pets, Pet = pet, Owner = owner }: Document = {}): string {
  const answer = (of: object): object => ({
    responses: { 200: { description: "ok", content: { "application/json": { schema: of } } } },
  });
  const after = { name: "after", in: "query", schema: text };
  const paths = {
    [path]: { get: { operationId: path.slice(1), parameters: [after], ...answer(schema) } },
    "/health": { get: { operationId: "health", ...answer(text) } },
    // not bound, and shows all schemas
    "/all": { get: { operationId: "all", ...answer(object({ pet: ref("Pet"), owner: ref("Owner") })) } },
  };
  const info = { title: "t", version: "1" };
  return JSON.stringify(
    { openapi: "3.1.0", info, security: [], paths, components: { schemas: { Pet, Owner } } },
    null,
    1,
  );
}

const types = `type Pet { id: ID! name: String! owner: Owner! }
type Owner { name: String city: String }
`;
const listed = `type Query { health: String @rest(operation: "health") pets: [Pet!] @rest(operation: "pets", result: "items") }
${types}`;
const paged = `type Query {
  health: String @rest(operation: "health")
  pets(after: String): PetConnection @rest(operation: "pets", connection: { items: "items", next: "next" })
}
type PetConnection { nodes: [Pet!]! edges: [PetEdge!]! pageInfo: PageInfo! }
type PetEdge { node: Pet! cursor: String }
type PageInfo { hasNextPage: Boolean! endCursor: String }
${types}`;

const told = (schema: string, is: Document, was: Document = {}): string[] =>
  stepFindings(schema, document(was), document(is)).map(
    ({ rule, coordinates }) => `${rule}: ${coordinates?.join(", ")}`,
  );

/** Without a name, and with an owner who has none. */
const Pet = object({ id: text, owner: ref("Owner") });
const Owner = object({ city: text });
const broken = ["property-missing: Pet.name", "property-missing: Owner.name"];

describe("fields below a result that the response no longer has", () => {
  test.each([
    ["under its name", object({ data: list(ref("Pet")), next: text })],
    ["at its place", object({ page: object({ items: list(ref("Pet")) }), next: text })],
  ])("%s are compared", (_, changed) => {
    expect(told(listed, { pets: changed })).toEqual(["result-missing: Query.pets"]);
    expect(told(listed, { pets: changed, Pet, Owner })).toEqual(["result-missing: Query.pets", ...broken]);
  });

  test("are compared in a schema without a name, whose property has another", () => {
    const [was, is, without] = [
      object({ items: list(pet) }),
      object({ data: list(pet) }),
      object({ data: list(Pet) }),
    ];
    expect(told(listed, { pets: is }, { pets: was })).toEqual(["result-missing: Query.pets"]);
    // the schema with another place is the cause of both
    expect(told(listed, { pets: without, Owner }, { pets: was })).toEqual([
      "result-missing: Query.pets, Pet.name",
      "property-missing: Owner.name",
    ]);
  });

  test("belong to its finding if no response shows their objects any more", () => {
    const changed = object({ count: text });
    expect(told(listed, { pets: changed, Pet, Owner })).toEqual(["result-missing: Query.pets"]);
  });

  test("belong to the finding of an operation that is gone", () => {
    expect(told(listed, { path: "/cats", Pet, Owner })).toEqual(["operation-unknown: Query.pets"]);
  });
});

test("fields below a connection whose list has another name are compared, and its own fields are not", () => {
  const changed = object({ data: list(ref("Pet")), next: text });
  const [lead, ...others] = told(paged, { pets: changed });
  expect([lead, others]).toEqual([expect.stringMatching(/^[a-z-]+: Query\.pets$/), []]);
  expect(told(paged, { pets: changed, Pet, Owner })).toEqual([lead, ...broken]);
});

test("fields below a list that a page object wraps are compared", () => {
  const schema = listed.replace(', result: "items"', "");
  const was = { pets: list(ref("Pet")) };
  expect(told(schema, { pets }, was)).toHaveLength(1);
  expect(told(schema, { pets, Pet, Owner }, was)).toEqual([expect.anything(), ...broken]);
});

test("fields below a property with another name are compared", () => {
  const renamed = object({ id: text, name: text, keeper: ref("Owner") });
  expect(told(listed, { Pet: renamed })).toEqual(["property-missing: Pet.owner"]);
  expect(told(listed, { Pet: renamed, Owner })).toEqual([
    "property-missing: Pet.owner",
    "property-missing: Owner.name",
  ]);
});

test("fields below a property that is gone belong to its finding", () => {
  const without = object({ id: text, name: text });
  expect(told(listed, { Pet: without, Owner })).toEqual(["property-missing: Pet.owner"]);
});

test("changes that the proof does not see are told below a field that does not bind", () => {
  const state = (...values: string[]): object =>
    object({ id: text, name: { ...text, enum: values }, owner: ref("Owner") });
  const found = stepFindings(
    listed,
    document({ Pet: state("a") }),
    document({ Pet: state("a", "b"), pets: object({ data: list(ref("Pet")) }) }),
  );
  expect(found).toMatchObject([
    { rule: "result-missing", change: "breaking", coordinate: "Query.pets" },
    { rule: "rest-enum-changed", change: "dangerous", coordinate: "Pet.name" },
  ]);
});

test("fields that another field leads to are compared once", () => {
  const both = listed.replace("type Query {", 'type Query { pet: Pet @rest(operation: "all", result: "pet")');
  const changed = object({ data: list(ref("Pet")) });
  expect(told(both, { pets: changed, Pet, Owner }).toSorted()).toEqual([
    ...broken.toSorted(),
    "result-missing: Query.pets",
  ]);
});

test("fields of an object that is now another one by the same name belong to the finding above", () => {
  const was = { Pet: object({ id: text, name: text, owner: list(ref("Owner")) }) };
  const schema = listed.replace("owner: Owner!", "owner: [Owner]");
  expect(told(schema, { Owner: object({ first: text, last: text }) }, was)).toEqual([
    "output-list: Pet.owner",
  ]);
});
