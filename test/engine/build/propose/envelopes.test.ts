/** `npm run propose` on operations with several successes: the binder reads each of them, and so does the proposal. */
import { expect, test } from "vitest";
import { proposed } from "./proposed.ts";

const object = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});
const answer = (schema: object) => ({
  description: "ok",
  content: { "application/json": { schema } },
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const items = object({ items: { type: "array", items: ref("Thing") } }, ["items"]);

const operations: Readonly<Record<string, object>> = {
  same: { 200: answer(ref("Thing")), 201: answer(ref("Thing")) },
  shared: { 200: answer(ref("Thing")), 202: answer(ref("Job")) },
  nothing: { 200: answer(ref("Thing")), 202: answer(object({ job: { type: "string" } })) },
  kinds: { 200: answer({ type: "array", items: ref("Thing") }), 202: answer(ref("Job")) },
  lists: {
    200: answer({ type: "array", items: ref("Thing") }),
    206: answer({ type: "array", items: ref("Job") }),
  },
  envelopes: { 200: answer(items), 206: answer(object({ items: { type: "array", items: ref("Job") } })) },
  envelope: { 200: answer(items), 202: answer(ref("Job")) },
  gone: { 200: answer(ref("Thing")), 204: { description: "nothing" } },
};

const document = JSON.stringify({
  openapi: "3.0.3",
  info: { title: "t", version: "1" },
  security: [],
  paths: Object.fromEntries(
    Object.entries(operations).map(([operationId, responses]) => [
      `/${operationId}`,
      { get: { operationId, responses } },
    ]),
  ),
  components: {
    schemas: {
      Thing: object(
        { id: { type: "string" }, size: { type: "integer", format: "int32" }, only: { type: "string" } },
        ["id", "size"],
      ),
      Part: object({ size: { type: "number" } }),
      Job: object({ id: { type: "string" }, size: { type: "number" } }, ["id"]),
    },
  },
});

const expected = `type Query {
  same: Thing
    @rest(operation: "same")
  # Only what REST's answers 200 and 202 share.
  shared: Shared
    @rest(operation: "shared")
  # REST's answers 200 and 202 share no type.
  nothing: JSON
    @rest(operation: "nothing")
  # REST's answers 200 and 202 share no type.
  kinds: JSON
    @rest(operation: "kinds")
  # Only what REST's answers 200 and 206 share.
  lists: [Shared!]
    @rest(operation: "lists")
  # Only what REST's answers 200 and 206 share.
  envelopes: [Shared!]
    @rest(operation: "envelopes", result: "items")
  # REST's answers 200 and 202 share no type.
  envelope: JSON
    @rest(operation: "envelope")
  gone: Thing
    @rest(operation: "gone")
}

type Thing {
  id: ID!
  size: Int!
  only: String
}

type Shared {
  id: ID!
  size: Float
}

"Any JSON value."
scalar JSON`;

test("a proposal over several successes has what all of them have, and binds", async () => {
  expect(await proposed(document, Object.keys(operations))).toBe(expected);
});

test("an object with items is more than a list of them, and a list with paging members is a list", async () => {
  const things = { items: { type: "array", items: ref("Thing") } };
  const shown = async (properties: object): Promise<string> => {
    const get = { operationId: "find", responses: { 200: answer(object({ ...things, ...properties })) } };
    const paths = { "/orders/{id}": { get: { ...get, parameters: [id] } } };
    const out = await proposed(JSON.stringify({ ...JSON.parse(document), paths }), ["find"]);
    return out.slice(out.indexOf("): ") + 3, out.indexOf("\n}"));
  };
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  expect(await shown({ id: { type: "string" } })).toBe('Find\n    @rest(operation: "find")');
  expect(await shown({ total_count: { type: "integer" }, has_more: { type: "boolean" } })).toBe(
    '[Thing!]\n    @rest(operation: "find", result: "items")',
  );
});

test("a list named after its resource is shown without its envelope, unless its pages cannot be read otherwise", async () => {
  const thing = { type: "array", items: ref("Part") };
  const count = { type: "integer" };
  const meta = { meta: object({ total_count: count, next_page: count }) };
  const shown = async (properties: object, path = "/shelves/{id}/things", query: object[] = []) => {
    const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }, ...query];
    const get = {
      operationId: "find",
      parameters,
      responses: { 200: answer(object(properties, ["things"])) },
    };
    const paths = { [path]: { get } };
    const out = await proposed(JSON.stringify({ ...JSON.parse(document), paths }), ["find"]);
    return out.slice(out.indexOf("): ") + 3, out.indexOf("\n}"));
  };
  const envelope = 'Find\n    @rest(operation: "find")';
  expect(await shown({ things: thing, ...meta })).toBe(
    '[Part!]\n    @rest(operation: "find", result: "things")',
  );
  expect(await shown({ results: thing, things: count, ...meta })).toBe(envelope);
  expect(await shown({ results: thing, total: count, next: { type: "string" } })).toBe(
    '[Part!]\n    @rest(operation: "find", result: "results")',
  );
  // an order is more than its lines
  expect(await shown({ lines: thing, total: count }, "/orders/{id}")).toBe(envelope);
  expect(await shown({ things: thing, name: { type: "string" } })).toBe(envelope);
  expect(await shown({ things: thing, others: thing })).toBe(envelope);
  const cursor = { name: "cursor", in: "query", schema: { type: "string" } };
  expect(await shown({ things: thing, ...meta }, undefined, [cursor])).toBe(envelope);
});
