/** The links that `npm run propose` prints below types of the schema, with the values that they inherit. */
import { expect, test } from "vitest";
import { startProject } from "../../../../src/engine/build/init/start-project.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { project, ran, reportOf, write } from "../check/run.ts";
import { restDocument } from "../openapi/rest-document.ts";

const object = (required: string[], properties: object): object => ({ type: "object", required, properties });
const integer = { type: "integer", format: "int32" };
const text = { type: "string" };
const list = (name: string): object => ({ type: "array", items: ref(name) });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const answers: Readonly<Record<string, object>> = {
  "/accounts/{account_id}": ref("Account"),
  "/accounts/{account_id}/contacts": list("Contact"),
  "/accounts/{account_id}/contacts/{contact_id}": ref("Contact"),
  "/accounts/{account_id}/contacts/{contact_id}/notes": list("Note"),
  "/repos/{owner}/{repo}": ref("Repo"),
  "/repos/{owner}/{repo}/topics/all": list("Topic"),
  "/messages/{id}": ref("Message"),
};

const openapi = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: Object.fromEntries(
    Object.entries(answers).map(([path, schema]) => [
      path,
      {
        get: {
          operationId: path.replaceAll(/[{}]/g, "").slice(1).replaceAll("/", "-"),
          parameters: [
            ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
              ...{ name, in: "path", required: true, schema: name.includes("id") ? integer : text },
            })),
            ...(path.endsWith("notes") ? [{ name: "kind", in: "query", schema: text }] : []),
          ],
          responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
        },
      },
    ]),
  ),
  components: {
    schemas: {
      Account: object(["id"], { id: integer }),
      Contact: object(["id"], { id: integer, name: text }),
      Note: object([], { body: text }),
      Repo: object([], { name: text, parent: ref("Repo") }),
      Topic: object([], { name: text }),
      Message: object([], { author: ref("Contact") }),
    },
  },
});

/** What propose prints, which passes check beside the schema but for warnings. */
async function proposed(schema: string, operation: string, document = openapi): Promise<string> {
  const root = project({
    "spec/openapi.yaml": document,
    "spec/schema.graphql": schema,
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  });
  const { code, out, error } = await ran(root, [operation], propose);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  write(root, { "spec/schema.graphql": `${schema}\n${out}` });
  const { findings } = await reportOf(root);
  const errors = findings.filter(({ stage, severity }) => stage === "proof" && severity === "error");
  expect(errors.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
  return out;
}

const contact = "type Contact { id: ID! name: String }";
const byId =
  'contact(accountId: ID! @restName(name: "account_id"), id: ID! @restName(name: "contact_id")): Contact @rest(operation: "accounts-account_id-contacts-contact_id")';
const contacts = (argument: string) =>
  `contacts(${argument}: ID! @restName(name: "account_id")): [Contact!] @rest(operation: "accounts-account_id-contacts")`;
const notes = "accounts-account_id-contacts-contact_id-notes";

test("a link takes the arguments that brought its object, and the object's own key", async () => {
  const out = await proposed(`type Query { ${byId} ${contacts("accountId")} } ${contact}`, notes);
  expect(out).toContain(`extend type Contact {
  notes(
    kind: String
  ): [Note!]
    @rest(operation: "${notes}", params: [{ name: "account_id", from: "argsAbove.accountId" }, { name: "contact_id", from: "parent.id" }])
}`);
});

test("a link takes the value of the enclosing object from which its object's call took it", async () => {
  const account = `
type Query {
  account(id: ID! @restName(name: "account_id")): Account @rest(operation: "accounts-account_id")
}
type Account {
  id: ID!
  contacts: [Contact!]
    @rest(operation: "accounts-account_id-contacts", params: [{ name: "account_id", from: "parent.id" }])
  contact(id: ID! @restName(name: "contact_id")): Contact
    @rest(
      operation: "accounts-account_id-contacts-contact_id"
      params: [{ name: "account_id", from: "parent.id" }]
    )
}`;
  const out = await proposed(`${account} ${contact}`, notes);
  expect(out).toContain(
    'params: [{ name: "account_id", from: "Account.id" }, { name: "contact_id", from: "parent.id" }]',
  );
});

test("an object without a key uses the arguments alone, unless it is nested in an object of its own type", async () => {
  const repo = (more: string) =>
    `
type Query {
  repo(owner: String!, repo: String!): Repo @rest(operation: "repos-owner-repo")
}
type Repo {
  name: String
  ${more}
}`;
  const topics = "repos-owner-repo-topics-all";
  expect(await proposed(repo(""), topics)).toContain(`extend type Repo {
  topicsAll: [Topic!]
    @rest(operation: "${topics}", params: [{ name: "owner", from: "argsAbove.owner" }, { name: "repo", from: "argsAbove.repo" }])
}`);
  // the parent of a fork is another repository
  expect(await proposed(repo("parent: Repo"), topics)).toMatch(/^extend type Query \{/);
});

test.each([
  ["two arguments of other names", `type Query { ${byId} ${contacts("account")} } ${contact}`],
  [
    "an object that something else brings",
    `
type Query {
  ${byId}
  message(id: ID!): Message @rest(operation: "messages-id")
}
type Message {
  author: Contact
}
${contact}`,
  ],
  [
    "no field that brings the object",
    `
type Query {
  account(id: ID! @restName(name: "account_id")): Account @rest(operation: "accounts-account_id")
}
type Account {
  id: ID!
}`,
  ],
])("with %s the field is one of Query", async (_what, schema) => {
  expect(await proposed(schema, notes)).toMatch(/^extend type Query \{/);
});

test.each([
  ["nullable", { type: ["integer", "null"], format: "int32" }, ["id"]],
  ["optional", integer, []],
  ["read-only", { ...integer, readOnly: true }, ["id"]],
])(
  "a link by a key alone does not depend on who brings its object: the key is %s",
  async (_what, id, required) => {
    const ok = (schema: object) => ({
      responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
    });
    const parameters = [{ name: "book_id", in: "path", required: true, schema: integer }];
    const library = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      security: [],
      paths: {
        // Django writes a slash at the end
        "/books/": { post: { operationId: "addBook", ...ok(ref("Book")) } },
        "/books/{book_id}/": { get: { operationId: "getBook", parameters, ...ok(ref("Book")) } },
        "/books/{book_id}/pages/": { get: { operationId: "listPages", parameters, ...ok(list("Page")) } },
      },
      components: { schemas: { Book: object(required, { id }), Page: object([], { text }) } },
    });
    const start = (...operation: string[]) =>
      startProject(restDocument(library), { tag: [], operation, query: [] });
    const { schema } = start("addBook", "getBook");
    expect(start().links).toEqual(["listPages"]);
    expect(await proposed(schema, "listPages", library)).toContain(`extend type Book {
  pages: [Page!]
    @rest(operation: "listPages", params: [{ name: "book_id", from: "parent.id" }])
}`);
  },
);

test("init names the operations that could be links in the project that it starts", () => {
  const document = restDocument(openapi);
  const { links } = startProject(document, { tag: [], operation: [], query: [] });
  // a contact is the author of a message too, and a repository the parent of another
  expect(links).toEqual(["accounts-account_id-contacts"]);
  const chosen = Object.keys(answers).filter((path) => !path.startsWith("/messages"));
  const operation = chosen.map((path) => `GET ${path}`);
  expect(startProject(document, { tag: [], operation, query: [] }).links).toEqual([
    "accounts-account_id-contacts",
    notes,
  ]);
});
