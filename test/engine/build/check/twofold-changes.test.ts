/** A change of one shared schema that means one thing for what is sent to REST, and another for what is read from it. */
import { expect, test } from "vitest";
import { stepFindings, stepReport } from "./in-memory.ts";

test("a removed enum value breaks operations that send it, and none that read it", async () => {
  const was = {
    "spec/schema.graphql": `type Query { things(state: State): [Thing!] @rest(operation: "things") }
type Thing { state: State }
enum State { new old }`,
    "spec/openapi.yaml": states("[new, old]"),
    "spec/rest-only.yaml": "",
    "spec/operations/depot.graphql": "query States { things { state } }",
  };
  const { findings, changes } = await stepReport(was, { "spec/openapi.yaml": states("[new]") });
  expect(findings).toMatchObject([
    { rule: "input-enum", change: "breaking", coordinates: ["Query.things(state:)"] },
  ]);
  expect(changes).toHaveLength(1);
});

test("an enum of the schema that follows REST's is one finding, in the schema", () => {
  const step = (was: string, is: string): string[] => {
    const schema = (
      values: string,
    ): string => `type Query { things(state: State): [Thing!] @rest(operation: "things") }
type Thing { state: State }
enum State { ${values} }`;
    const found = stepFindings(schema(was), states(`[${was}]`), states(`[${is}]`), schema(is));
    return found.map(({ rule, coordinate }) => `${rule} ${coordinate}`);
  };
  expect(step("new, old", "new")).toEqual(["sdl-value-removed-from-enum State.old"]);
  expect(step("new", "new, old")).toEqual(["sdl-value-added-to-enum State.old"]);
});

test("a renamed required property is one finding, with the input that lacks it", async () => {
  const schema = `type Query { things: Boolean @rest(operation: "things") }
type Mutation { add(thing: Thing): Boolean @rest(operation: "add") }
input Thing { title: String! size: Int }`;
  const openapi = (name: string): string => {
    const thing = { properties: { [name]: { type: "string" }, size: { type: "integer" } }, required: [name] };
    const content = (schema: object) => ({ content: { "application/json": { schema } } });
    const responses = { 200: { description: "ok", ...content({ type: "boolean" }) } };
    const post = { operationId: "add", requestBody: content({ properties: { thing } }), responses };
    const paths = { "/things": { get: { operationId: "things", responses }, post } };
    return JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [], paths });
  };
  const findings = stepFindings(schema, openapi("title"), openapi("name"));
  expect(findings).toMatchObject([
    { rule: "property-missing", coordinates: ["Thing.title", "Mutation.add(thing:)"] },
  ]);
  expect(findings).toHaveLength(1);
});

test.each([
  [
    "a constant for a parameter that REST requires since the base",
    "",
    "true",
    "",
    'params: [{ name: "of", value: "a" }]',
    [],
  ],
  ["an argument for it", "", "true", "(of: String!)", "", ["sdl-required-arg-added"]],
  [
    "a constant for a new parameter that REST does not require",
    "",
    "false",
    "",
    'params: [{ name: "of", value: "a" }]',
    ["binding-changed"],
  ],
  [
    "a constant for a parameter that REST took before",
    "false",
    "true",
    "",
    'params: [{ name: "of", value: "a" }]',
    ["binding-changed"],
  ],
])("%s", (_, was, is, args, params, rules) => {
  const responses = {
    200: { description: "ok", content: { "application/json": { schema: { type: "boolean" } } } },
  };
  const openapi = (required: string): string => {
    const parameter = { name: "of", in: "query", required: required === "true", schema: { type: "string" } };
    const get = { operationId: "things", responses, parameters: required === "" ? [] : [parameter] };
    return JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      security: [],
      paths: { "/things": { get } },
    });
  };
  const schema = (args = "", params = ""): string =>
    `type Query { things${args}: Boolean @rest(operation: "things" ${params}) }`;
  const found = stepFindings(schema(), openapi(was), openapi(is), schema(args, params));
  expect(found.map(({ rule }) => rule)).toEqual(rules);
});

test("a key that REST may omit is one finding with the link that needs it, whatever else the edit changes", () => {
  const schema = `type Query { posts: [Post!] @rest(operation: "posts") users: [User!] @rest(operation: "users") }
type Post { title: String author: User @rest(operation: "users", params: [{ name: "ids", from: "parent.by" }], batchBy: "id") }
type User { id: ID! }`;
  const openapi = (key: readonly string[], title: string): string => {
    const id = { type: "string" };
    const list = (name: string) => ({
      content: {
        "application/json": { schema: { type: "array", items: { $ref: `#/components/schemas/${name}` } } },
      },
    });
    const get = (operationId: string, name: string) => ({
      ...{ operationId, responses: { 200: { description: "ok", ...list(name) } } },
    });
    const ids = { name: "ids", in: "query", schema: { type: "array", items: id } };
    const paths = {
      "/posts": { get: get("posts", "Post") },
      "/users": { get: { ...get("users", "User"), parameters: [ids] } },
    };
    const schemas = {
      Post: { type: "object", required: ["by", title], properties: { by: id, [title]: id } },
      User: { type: "object", required: key, properties: { id } },
    };
    return JSON.stringify({
      ...{
        openapi: "3.1.0",
        info: { title: "t", version: "1" },
        security: [],
        paths,
        components: { schemas },
      },
    });
  };
  const told = (...to: Parameters<typeof openapi>): string[] =>
    stepFindings(schema, openapi(["id"], "title"), openapi(...to)).map(
      ({ rule, coordinates }) => `${rule} ${coordinates}`,
    );
  expect(told([], "title")).toEqual(["batch-match Post.author,User.id"]);
  expect(told([], "name").sort()).toEqual(["batch-match Post.author,User.id", "property-missing Post.title"]);
});

test("a list that becomes a page is one finding, with what else the page means", () => {
  const id = { type: "string" };
  const list = { type: "array", items: id };
  const page = { type: "object", properties: { results: list, pagination: { type: "object" } } };
  const openapi = (schema: object): string => {
    const responses = { 200: { description: "ok", content: { "application/json": { schema } } } };
    const paths = { "/things": { get: { operationId: "things", responses } } };
    return JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [], paths });
  };
  const schema = (result: string): string =>
    `type Query { things: [ID] @rest(operation: "things"${result}) }`;
  const step = (result: string) => stepFindings(schema(""), openapi(list), openapi(page), schema(result));
  const [found, ...others] = step("");
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    ...{ rule: "output-list", coordinates: ["Query.things"], also: [{ rule: "rest-list-paged" }] },
    hint: 'add `result: "results"` to @rest: the list is at this path in the response',
  });
  expect(step(', result: "results"')).toMatchObject([
    { rule: "rest-list-paged", also: [{ rule: "binding-changed", coordinate: "Query.things" }] },
  ]);
  expect(step(', result: "results"')).toHaveLength(1);
});

/** Things with a state, which the list can be asked by. */
const states = (values: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
security: []
paths:
  /things:
    get:
      operationId: things
      parameters: [{ name: state, in: query, schema: { $ref: "#/components/schemas/State" } }]
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
components:
  schemas:
    Thing: { type: object, properties: { state: { $ref: "#/components/schemas/State" } } }
    State: { type: string, enum: ${values} }
`;
