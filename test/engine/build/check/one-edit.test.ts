/** One edit of REST is one finding, however many fields follow it, and its frame shows what differs. */
import { expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";

/** A document of operations that read, each by its id, path and answer. */
function openapi(operations: readonly (readonly [id: string, path: string, schema: object])[]): string {
  const paths = operations.map(([operationId, path, schema]) => {
    const responses = { 200: { description: "ok", content: { "application/json": { schema } } } };
    return [path, { get: { operationId, responses } }];
  });
  const info = { title: "t", version: "1" };
  return JSON.stringify({ openapi: "3.1.0", info, security: [], paths: Object.fromEntries(paths) }, null, 1);
}

test("a move of many paths from one beginning to another is one finding, with their number", () => {
  const names = ["one", "two", "three"];
  const at = (version: string): string =>
    openapi(names.map((name) => [name, `${version}/${name}`, { type: "boolean" }]));
  const schema = `type Query { ${names.map((name) => `${name}: Boolean @rest(operation: "${name}")`).join(" ")} }`;
  const found = stepFindings(schema, at("/v3"), at("/v4"));
  expect(found).toMatchObject([
    {
      rule: "rest-operation-moved",
      message: "GET /v3/one is at /v4/one now, and 2 more paths moved from /v3 to /v4",
      coordinates: ["Query.one", "Query.two", "Query.three"],
    },
  ]);
  expect(found[0]).not.toHaveProperty("also");
  const [fewer] = stepFindings(schema, at("/v3"), at("/v4").replace("/v4/three", "/v5/three"));
  expect(fewer?.message).toBe("GET /v3/one is at /v4/one now, and 1 more path moved from /v3 to /v4");
  expect(fewer?.fingerprint).not.toBe(found[0]?.fingerprint);
});

test("a property with another name that the schema follows is one finding, with the links that take it", () => {
  const text = { type: "string" };
  const user = { type: "object", required: ["id"], properties: { id: text } };
  const document = (key: string): string =>
    openapi([
      ["post", "/post", { type: "object", required: [key], properties: { [key]: text } }],
      ["users", "/users", { type: "array", items: user }],
    ]);
  const schema = (
    key: string,
  ): string => `type Query { post: Post @rest(operation: "post") users: [User] @rest(operation: "users") }
type Post {
  authorId: ID! @restName(name: "${key}")
  author: User @rest(operation: "users", params: [{ name: "id", in: ITEM, from: "parent.${key}" }])
}
type User { id: ID! }`;
  const step = [document("user"), document("owner"), schema("owner")] as const;
  expect(stepFindings(schema("user"), ...step)).toMatchObject([
    {
      ...{ rule: "binding-changed", coordinates: ["Post.authorId", "Post.author"] },
      also: [{ rule: "binding-changed", coordinate: "Post.author" }],
    },
  ]);
  expect(stepFindings(schema("user"), ...step)).toHaveLength(1);
});

test.each([
  ["an enum of the schema", "State"],
  ["text", "String"],
])("the frames of a value that an enum of REST swaps for another show both, with %s", (_, type) => {
  const document = (...values: string[]): string =>
    openapi([["state", "/state", { type: "string", enum: values }]]);
  const schema = `type Query { state: ${type} @rest(operation: "state") } enum State { NEW OPEN }`;
  const [found] = stepFindings(schema, document("new", "open"), document("new", "held", "open"));
  const [shown] = (found?.places ?? []).filter(({ role }) => role === "rest");
  expect(shown?.text).toMatch(/^> \d+ \| +"held",$/m);
});
