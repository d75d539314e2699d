/** One edit of a shared schema is one finding, whatever shows and sends it, with all coordinates that it reaches. */
import { expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";

const schema = `type Query {
  persons: [Person!] @rest(operation: "persons")
  count: Int @rest(operation: "count", result: "page.count")
  names: [String] @rest(operation: "names")
}
type Person {
  name: String
  code: Code
  works: Int @rest(operation: "works", params: [{ name: "of", from: "parent.code" }])
}
scalar Code
type Mutation {
  add(work: Work): Int @rest(operation: "add", body: "args.work")
  keep(name: String, code: String): Int @rest(operation: "keep")
  free(work: JSON): Int @rest(operation: "free", body: "args.work")
}
input Work { owner: JSON reader: JSON }
scalar JSON
`;

type Edits = {
  readonly Person?: object;
  readonly page?: object;
  readonly code?: object;
  readonly required?: string[];
};

function openapi({ Person = person, page = {}, code = text, required = [] }: Edits = {}): string {
  const Work = object({
    owner: { oneOf: [text, ref("Person")] },
    reader: { oneOf: [ref("Person"), integer] },
  });
  const answer = (of: object): object => ({ responses: { 200: { description: "ok", ...json(of) } } });
  const counted = { ...object({ count: integer }), ...page };
  const of = { name: "of", in: "query", schema: text };
  const paths = {
    "/persons": { get: { operationId: "persons", ...answer({ type: "array", items: ref("Person") }) } },
    "/count": { get: { operationId: "count", ...answer(object({ page: counted })) } },
    "/names": { get: { operationId: "names", ...answer({ type: "array", items: text }) } },
    "/kept": {
      post: {
        operationId: "keep",
        requestBody: { required: true, ...json(ref("Person")) },
        ...answer(integer),
      },
    },
    "/works": {
      get: { operationId: "works", parameters: [of], ...answer(integer) },
      post: { operationId: "add", requestBody: json(ref("Work")), ...answer(integer) },
      put: {
        operationId: "free",
        requestBody: json({ ...object({ owner: ref("Work") }), required }),
        ...answer(integer),
      },
    },
  };
  const info = { title: "Works", version: "1" };
  return JSON.stringify({
    openapi: "3.1.0",
    info,
    security: [],
    paths,
    components: { schemas: { Work, Person: { ...Person }, Code: code } },
  });
}

const text = { type: "string" };
const integer = { type: "integer", format: "int32" };
const object = (properties: object): object => ({ type: "object", properties });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const json = (of: object): object => ({ content: { "application/json": { schema: of } } });
const person = object({ name: text, code: ref("Code") });

/** Each finding as its coordinates. */
const told = (edits: Edits, given: Edits = {}) =>
  stepFindings(schema, openapi(given), openapi(edits)).map(({ coordinates = [] }) => [...coordinates].sort());

const keep = ["Mutation.keep(code:)", "Mutation.keep(name:)"];
const senders = ["Mutation.free(work:)", "Work.owner", "Work.reader"];

test("a shared object that is text now is one finding: what shows it, and what sends it alone and in unions", () => {
  expect(told({ Person: { ...person, type: "string" } })).toEqual([
    [...senders, ...keep, "Mutation.keep", "Query.persons"].sort(),
  ]);
});

test("properties that a shared object requires now are one finding, in every value that has the object", () => {
  expect(told({ Person: { ...person, required: ["name", "code"] } })).toEqual([[...senders, ...keep].sort()]);
});

test("two edits of a shared object are two findings", () => {
  const Person = object({ name: { ...text, maxLength: 3 }, code: { ...ref("Code"), maxLength: 3 } });
  expect(told({ Person })).toEqual([
    ["Mutation.free(work:)", "Mutation.keep(name:)", "Work.owner", "Work.reader"],
    ["Mutation.free(work:)", "Mutation.keep(code:)", "Work.owner", "Work.reader"],
  ]);
});

test("a required property that no schema describes is not gone when nothing requires it", () => {
  expect(told({ required: ["owner"] }, { required: ["unknown"] })).toEqual([["Mutation.free(work:)"]]);
});

test("text has no properties, whatever its schema lists", () => {
  expect(told({ page: { type: "string" } })).toEqual([["Query.count"]]);
});

test("a value that a link sends breaks the link only where REST takes it no more", () => {
  expect(told({ code: { type: "integer" } })).toEqual([
    [...senders, "Mutation.keep(code:)", "Person.code"].sort(),
  ]);
});
