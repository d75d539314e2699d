/** `npm run propose` prints the links by keys that the proposed fields make possible, as `init` does. */
import { expect, test } from "vitest";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { project, ran, reportOf, write } from "../check/run.ts";

const text = { type: "string" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object) => ({ type: "object", properties, required: Object.keys(properties) });
const inPath = { name: "id", in: "path", required: true, schema: text };
const ids = { name: "ids", in: "query", schema: { type: "array", items: text, maxItems: 50 } };

const get = (operationId: string, schema: object, ...parameters: object[]) => ({
  get: {
    operationId,
    parameters,
    responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
  },
});

const document = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/posts/{id}": get("getPost", ref("Post"), inPath),
    "/users": get("listUsers", { type: "array", items: ref("User") }, ids),
    "/teams/{id}": get("getTeam", ref("Team"), inPath),
  },
  components: {
    schemas: {
      Post: object({ id: text, userId: text, teamId: text }),
      User: object({ id: text, teamId: text }),
      Team: object({ id: text }),
    },
  },
});

const posts = `type Query {
  post(id: ID!): Post
    @rest(operation: "getPost")
}

type Post {
  id: ID!
  userId: ID!
  teamId: ID!
}
`;

/** The proposal beside a schema, and the findings of the schema with the proposal. */
async function proposed(schema: string, ...operations: string[]) {
  const root = project({
    "spec/openapi.yaml": document,
    "spec/schema.graphql": schema,
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "getTeam: later\ngetPost: later\nlistUsers: later\n",
  });
  const { out } = await ran(root, operations, propose);
  write(root, { "spec/schema.graphql": `${schema}\n${out}` });
  const { findings } = await reportOf(root);
  const rules = findings.flatMap(({ stage, rule }) => (stage === "proof" ? [rule] : []));
  const [, links] = /(?:^|\n)((?:# Links[^\n]*|extend type (?:Post|User)\b)[\s\S]*)/.exec(out) ?? [];
  return { links, rules };
}

const batched = `extend type Post {
  user: User
    @rest(operation: "listUsers", params: [{ name: "ids", from: "parent.userId" }], batchBy: "id")
}`;

test("an object of the schema is linked to the objects of a proposed list", async () => {
  expect(await proposed(posts, "listUsers")).toEqual({ links: batched, rules: [] });
});

test("a link of a proposed type that makes a call for each parent is a comment", async () => {
  const { links = "", rules } = await proposed(posts, "listUsers", "getTeam");
  expect(rules).toEqual([]);
  expect(links).toContain(batched);
  expect(links).toContain("extend type Post {\n  team: Team\n");
  expect(links).toMatch(
    /\n\n# Links that the names of keys suggest.*\n.*\n# extend type User \{\n# {3}team: Team\n/,
  );
});

test("a link that was possible before is not repeated", async () => {
  const users = `${posts}
extend type Query {
  users(ids: [ID!]): [User!]
    @rest(operation: "listUsers")
}

type User {
  id: ID!
  teamId: ID!
}
`;
  const { links = "" } = await proposed(users, "getTeam");
  expect(links).toContain("extend type Post {\n  team: Team");
  expect(links).not.toContain("listUsers");
});

test("an error elsewhere in the schema does not prevent links", async () => {
  const { links } = await proposed(posts.replace("  teamId: ID!", "  teamId: Int!"), "listUsers");
  expect(links).toBe(batched);
});

test("a schema without fields gets the links of the proposed types", async () => {
  const { links } = await proposed("", "getPost", "listUsers");
  expect(links).toBe(batched);
});
