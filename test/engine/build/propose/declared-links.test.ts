/** OpenAPI's links (§4.8.20), in the shape of the specification's own example of links: users, their repositories, pull requests. */
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { project, ran, reportOf, write } from "../check/run.ts";

const document = `openapi: 3.0.0
info: { title: Link Example, version: 1.0.0 }
security: []
paths:
  /2.0/users/{username}:
    get:
      operationId: getUserByName
      parameters: [{ name: username, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: The User
          content: { application/json: { schema: { $ref: "#/components/schemas/user" } } }
          links: { userRepositories: { $ref: "#/components/links/UserRepositories" } }
  /2.0/repositories:
    get:
      operationId: getRepositoriesByOwner
      parameters: [{ name: owner, in: query, required: true, schema: { type: string } }]
      responses:
        "200":
          description: repositories owned by the supplied user
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/repository" } } } }
  /2.0/repo:
    get:
      operationId: getRepository
      parameters: [{ name: slug, in: query, required: true, schema: { type: string } }]
      responses:
        "200":
          description: The repository
          content: { application/json: { schema: { $ref: "#/components/schemas/repository" } } }
          links:
            repositoryOwner:
              operationRef: "#/paths/~12.0~1users~1{username}/get"
              parameters: { path.username: $response.body#/owner/username }
components:
  links:
    UserRepositories:
      operationId: getRepositoriesByOwner
      parameters: { owner: $response.body#/username }
  schemas:
    user: { type: object, required: [username], properties: { username: { type: string }, uuid: { type: string } } }
    repository:
      type: object
      required: [slug, owner]
      properties: { slug: { type: string }, owner: { $ref: "#/components/schemas/user" } }
`;

const schema = `type Query {
  user(username: String!): User @rest(operation: "getUserByName")
  repo(slug: String!): Repository @rest(operation: "getRepository")
}
type User { username: String! }
type Repository { slug: String! }
`;

async function proposedFor(text: string, operation: string): Promise<string> {
  const root = project({
    "spec/openapi.yaml": text,
    "spec/schema.graphql": schema,
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  });
  const { code, out, error } = await ran(root, [operation], propose);
  expect(code, error).toBe(0);
  write(root, { "spec/schema.graphql": `${schema}\n${out}` });
  const { findings } = await reportOf(root);
  expect(findings.filter(({ severity, stage }) => severity === "error" && stage === "proof")).toEqual([]);
  return out;
}

test("a link of an answer is a field below the answer's type", async () => {
  expect(await proposedFor(document, "getRepositoriesByOwner")).toContain(`extend type User {
  userRepositories: [Repository!]
    @rest(operation: "getRepositoriesByOwner", params: [{ name: "owner", from: "parent.username" }])
}`);
});

test("a link may name its operation by reference, its parameter with its place, and a value deep in the answer", async () => {
  const out = await proposedFor(document, "getUserByName");
  expect(out).toMatch(
    /extend type Repository \{[^}]*repositoryOwner: User\n {4}@rest\(operation: "getUserByName", params: \[\{ name: "username", from: "parent.owner.username" \}\]\)/,
  );
});

test("a link that names a value that may be missing is null without it", async () => {
  const changed = parse(document);
  changed.components.links.UserRepositories.parameters = { owner: "$response.body#/uuid" };
  expect(await proposedFor(stringify(changed), "getRepositoriesByOwner")).toContain(
    'params: [{ name: "owner", from: "parent.uuid" }]',
  );
});

test.each([
  ["takes a value of the request", { owner: "$request.path.username" }],
  ["leaves a required parameter out", { sort: "$response.body#/username" }],
  ["names a value that is not a text", { owner: "$response.body#/avatar" }],
])("a link that %s is none", async (_, parameters) => {
  const changed = parse(document);
  changed.components.links.UserRepositories.parameters = parameters;
  expect(await proposedFor(stringify(changed), "getRepositoriesByOwner")).toContain("extend type Query {");
});
