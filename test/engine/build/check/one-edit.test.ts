/** One edit of REST is one finding, however many fields follow it, and its frame shows what differs. */
import { describe, expect, test } from "vitest";
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

describe("a credential that the document no longer declares", () => {
  const key = { key: [] };
  const token = { token: [] };
  const secured = (security: object[]): string =>
    JSON.stringify({
      ...JSON.parse(openapi([["me", "/me", { type: "string" }]])),
      security,
      components: {
        securitySchemes: {
          key: { type: "apiKey", in: "header", name: "X-API-Key" },
          token: { type: "http", scheme: "bearer" },
        },
      },
    });
  const changesOf = (before: object[], after: object[]): string[] =>
    stepFindings(`type Query { me: String @rest(operation: "me") }`, secured(before), secured(after)).map(
      ({ rule, message }) => `${rule}: ${message}`,
    );

  test.each([
    ["of all callers", [key], [], "key"],
    ["that was required beside another", [{ ...key, ...token }], [key], "token"],
    ["of some callers, who may be anonymous now", [key, token], [key, {}], "token"],
  ])("%s is one finding", (_, before, after, name) => {
    expect(changesOf(before, after)).toEqual([
      expect.stringMatching(
        new RegExp(`^rest-credential-dropped: .* no longer declares ${name}, so the caller's credential`),
      ),
    ]);
  });

  test.each([
    ["made optional", [key], [key, {}]],
    ["accepted beside a new one", [key], [token, key]],
  ])("but %s is none", (_, before, after) => {
    expect(changesOf(before, after)).toEqual([]);
  });

  test("that is rejected is a change of the requirement alone", () => {
    expect(changesOf([key, token], [key])).toEqual([expect.stringMatching(/^rest-security-changed: /)]);
  });
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

const json = (schema: object) => ({ content: { "application/json": { schema } } });
const ok = (schema: object) => ({ 200: { description: "ok", ...json(schema) } });
const document = (paths: object, schemas: object = {}): string =>
  JSON.stringify(
    { openapi: "3.0.3", info: { title: "t", version: "1" }, security: [], paths, components: { schemas } },
    null,
    1,
  );
const text = { type: "string" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Operations that send and show objects with values of one schema, by reference and in an `allOf`. */
function sharing(value: object): string {
  const holder = {
    type: "object",
    properties: { plain: ref("Value"), described: { description: "d", allOf: [ref("Value")] } },
  };
  const post = (operationId: string, name: string) => ({
    post: { operationId, requestBody: { required: true, ...json(ref(name)) }, responses: ok(ref(name)) },
  });
  return document(
    {
      "/x": { get: { operationId: "x", responses: ok(text) } },
      "/a": post("a", "A"),
      "/b": post("b", "B"),
    },
    { Value: value, A: holder, B: holder },
  );
}
const sharingSchema = (type: string): string => `type Query { x: String @rest(operation: "x") }
type Mutation {
  a(input: A!): AResult @rest(operation: "a", body: "args.input")
  b(input: B!): BResult @rest(operation: "b", body: "args.input")
}
input A { plain: ${type} described: ${type} }
input B { plain: ${type} described: ${type} }
type AResult { plain: ${type} described: ${type} }
type BResult { plain: ${type} described: ${type} }
scalar DateTime
`;

test.each<[what: string, type: string, was: object, is: object, rule: string, coordinates: number]>([
  ["another format", "DateTime", { format: "date-time" }, { format: "date" }, "scalar-format", 8],
  ["another type", "String", {}, { type: "integer" }, "input-type", 8],
  ["a condition", "String", {}, { not: { enum: ["x"] } }, "limit-unchecked", 4],
  ["a pattern that is not run", "String", {}, { pattern: "^(?!x)" }, "pattern-unchecked", 4],
  ["a limit that cannot be read", "String", {}, { maxLength: "x" }, "limit-unchecked", 4],
])(
  "%s of a schema is one finding, with all inputs and fields that rest on it",
  (_, type, was, is, rule, count) => {
    const found = stepFindings(
      sharingSchema(type),
      sharing({ ...text, ...was }),
      sharing({ ...text, ...is }),
    );
    expect(found).toMatchObject([{ rule, change: "breaking" }]);
    expect(found[0]?.coordinates).toHaveLength(count);
  },
);

test.each([
  ["each operation", false],
  ["the path", true],
])("a path parameter with another name in the same URL is one finding: a parameter of %s", (_, isShared) => {
  const paths = (name: string): string => {
    const parameters = [{ name, in: "path", required: true, schema: text }];
    const own = (operationId: string) => ({
      operationId,
      ...(!isShared && { parameters }),
      responses: ok(text),
    });
    const shared = isShared && { parameters };
    return document({
      [`/things/{${name}}`]: { ...shared, get: own("get"), delete: own("remove") },
      [`/things/{${name}}/parts`]: { ...shared, get: own("parts") },
    });
  };
  const schema = `type Query { get(id: ID!): String @rest(operation: "get") parts(id: ID!): String @rest(operation: "parts") }
type Mutation { remove(id: ID!): String @rest(operation: "remove") }`;
  const found = stepFindings(schema, paths("id"), paths("thingId"));
  expect(found).toMatchObject([{ rule: "argument-unused", change: "breaking" }]);
  expect(found[0]?.coordinates).toEqual(
    expect.arrayContaining(["Query.get(id:)", "Query.parts(id:)", "Mutation.remove(id:)"]),
  );
});

test("an envelope around all answers is one finding, and so is its end", () => {
  const answers = (wrap: (schema: object) => object): string =>
    document(
      {
        "/one": { get: { operationId: "one", responses: ok(wrap(ref("One"))) } },
        "/all": { get: { operationId: "all", responses: ok(wrap({ type: "array", items: ref("One") })) } },
        "/name": { get: { operationId: "name", responses: ok(wrap(text)) } },
      },
      { One: { type: "object", required: ["id", "name"], properties: { id: text, name: text } } },
    );
  const enveloped = answers((data) => ({ type: "object", required: ["data"], properties: { data } }));
  const bare = answers((schema) => schema);
  const schema = `type Query { one: One @rest(operation: "one") all: [One!] @rest(operation: "all") name: String @rest(operation: "name") }
type One { id: ID! name: String! }`;
  const inside = schema.replaceAll(/operation: "\w+"/g, (operation) => `${operation}, result: "data"`);
  for (const found of [stepFindings(schema, bare, enveloped), stepFindings(inside, enveloped, bare)])
    expect(found).toMatchObject([{ change: "breaking" }]);
});

test("a value that an enum of REST loses is one finding, with all arguments that send it", () => {
  const of = (...values: string[]): string => sharing({ type: "string", enum: values });
  const schema = `${sharingSchema("State")} enum State { NEW OPEN }`;
  expect(stepFindings(schema, of("new", "open"), of("new"))).toMatchObject([
    { rule: "input-enum", coordinates: ["A.plain", "A.described", "B.plain", "B.described"] },
  ]);
});
