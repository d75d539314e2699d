/** `restbound init` on a document without a GET: which of its POSTs read is the user's to say. */
import { expect, test } from "vitest";
import { bindSdl } from "../../../../src/engine/build/bind/bind.ts";
import { startProject } from "../../../../src/engine/build/init/start-project.ts";
import type { RestDocument } from "../../../../src/engine/build/openapi/document.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { restDocument } from "../openapi/rest-document.ts";

const ticket = { type: "object", required: ["id"], properties: { id: { type: "string" } } };

const operation = (operationId: string, schema: object = ticket): object => ({
  operationId,
  tags: ["all"],
  requestBody: {
    required: true,
    content: { "application/json": { schema: { type: "object", properties: { text: { type: "string" } } } } },
  },
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});

function documentOf(...names: string[]): RestDocument {
  const found = { type: "array", items: ticket };
  const posts = names.map((name) => [
    `/${name}`,
    { post: operation(name, name.startsWith("search") ? found : ticket) },
  ]);
  return restDocument({
    ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
    paths: { ...Object.fromEntries(posts), "/drop": { delete: operation("drop") } },
  });
}

const start = (document: RestDocument, ...query: string[]) =>
  startProject(document, { tag: [], operation: [], query });

test("the refusal lists the options that name a POST which only reads", () => {
  expect(() => start(documentOf("searchTickets", "addTicket"))).toThrow(
    /a GraphQL schema needs a Query\nnone of these is a GET: name the POSTs that only read\n {2}--query searchTickets\n {2}--query addTicket$/,
  );
  const many = [
    ...Array.from({ length: 12 }, (_, index) => `add${index}`),
    "users.list",
    "tickets/find",
    "getTeam",
    "teamInfo",
  ];
  expect(() => start(documentOf(...many))).toThrow(
    / {2}--query users\.list\n {2}--query tickets\/find\n {2}--query getTeam\n {2}--query teamInfo\n {2}--query add0\n.* {2}--query add5\n {2}and 6 more; a pattern such as --query '\/\*\.list' names several$/s,
  );
});

test("a POST that is named so has a field of Query, and any other one of Mutation", () => {
  const document = documentOf("searchTickets", "addTicket");
  const { schema, bound } = start(document, "search*");
  expect(bound).toHaveLength(3);
  expect(schema).toMatch(/^type Query \{\n {2}searchTickets\(/);
  expect(schema).toMatch(/type Mutation \{\n {2}addTicket\(/);
  const { diagnostics } = bindSdl({ document, operations: readOperations(document) }, schema);
  expect(diagnostics.map(({ rule, coordinate }) => `${rule} ${coordinate}`)).toEqual([
    "method-safety Query.searchTickets",
  ]);
});

test("what is no POST, and what is not there, cannot be named so", () => {
  const document = documentOf("searchTickets");
  expect(() => start(document, "drop")).toThrow(
    "--query drop: is not a POST; a GET gets a Query field anyway",
  );
  expect(() => start(document, "searchTicket")).toThrow(
    '--query searchTicket: there is no such operation; did you mean "searchTickets"?',
  );
});

test("of a large document, --query chooses too; a tag that all operations have is no choice", () => {
  const names = Array.from({ length: 61 }, (_, index) => `search${index}`);
  const document = documentOf(...names);
  expect(start(document, "search1*")).toMatchObject({ bound: { length: 11 }, unbound: 51 });
  expect(startProject(document, { tag: [], operation: ["/*"], query: ["search*"] }).unbound).toBe(0);
  expect(() => start(document)).toThrow(
    /^the document has 62 operations: choose some with --tag or --operation\n {5}1 {2}--operation '\/drop\*'\n {5}1 {2}--operation '\/search0\*'\n {4}11 {2}--operation '\/search1\*'\n.*\n {4}62 {2}--operation '\/\*'$/s,
  );
});

test.each([
  [{ type: "http", scheme: "bearer" }, "authorization: Bearer <token>"],
  [{ type: "oauth2", flows: {} }, "authorization: Bearer <token>"],
  [{ type: "http", scheme: "Basic" }, "authorization: Basic <user:password in base64>"],
  [{ type: "apiKey", in: "header", name: "X-Key" }, "x-key: <key>"],
  [
    {
      ...{ type: "apiKey", in: "header", name: "Authorization" },
      description: "Authorization:\n  ApiKey <api_key>\n",
    },
    "authorization: <key>",
  ],
])("the printed request has a placeholder for the credential of %j", (scheme, header) => {
  const content = { "application/json": { schema: { type: "array", items: ticket } } };
  const get = (operationId: string, parameters: object[] = []) => ({
    get: { operationId, parameters, responses: { 200: { description: "ok", content } } },
  });
  const required = { name: "q", in: "query", required: true, schema: { type: "string" } };
  const { example } = start(
    restDocument({
      ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [{ key: [] }] },
      paths: { "/search": get("search", [required]), "/tickets": get("listTickets") },
      components: { securitySchemes: { key: scheme } },
    }),
  );
  expect(example?.command).toBe(
    `curl http://127.0.0.1:4000/v1/graphql -H 'content-type: application/json' -H '${header}' -d '{"query":"{ tickets { id } }"}'`,
  );
  expect(example?.credentials).toEqual(
    "description" in scheme ? ["key: Authorization: ApiKey <api_key>"] : [],
  );
});

test.each<[string, object]>([
  ["{ pages { total } }", { type: "object", properties: { owner: ticket, total: { type: "integer" } } }],
  ["{ pages { owner { id } } }", { type: "object", properties: { owner: ticket, buyer: ticket } }],
  [
    "{ pages { name } }",
    { type: "object", properties: { total: { type: "integer" }, name: { type: "string" } } },
  ],
  ["{ pages }", { type: "string" }],
])("the printed request shows data: %s", (query, schema) => {
  const content = { "application/json": { schema } };
  const { example } = start(
    restDocument({
      ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
      paths: {
        "/pages": { get: { operationId: "pages", responses: { 200: { description: "ok", content } } } },
      },
    }),
  );
  expect(example?.command).toContain(JSON.stringify({ query }));
});

test("the printed request asks for the items of a page", () => {
  const page = {
    type: "object",
    required: ["items", "next"],
    properties: { items: { type: "array", items: ticket }, next: { type: "string", nullable: true } },
  };
  const parameters = ["cursor", "limit"].map((name) => ({
    ...{ name, in: "query", schema: { type: name === "limit" ? "integer" : "string" } },
  }));
  const content = { "application/json": { schema: page } };
  const { example, schema } = start(
    restDocument({
      ...{ openapi: "3.0.3", info: { title: "t", version: "1" }, security: [] },
      paths: {
        "/tickets": {
          get: { operationId: "tickets", parameters, responses: { 200: { description: "ok", content } } },
        },
      },
    }),
  );
  expect(schema).toContain("TicketsConnection");
  expect(example?.command).toMatch(/\{ tickets \{ (?:nodes \{ id \}|edges \{ node \{ id \} \}) \} \}/);
});
