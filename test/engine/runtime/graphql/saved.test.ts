/** Saved operations by id: the forms of ids, the error for an unknown id, and one parse for each operation. */

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Apollo } from "../../../../src/engine/runtime/graphql/apollo.ts";
import { buildSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { SavedOperations } from "../../../../src/engine/runtime/graphql/saved/saved-operations.ts";
import { createGraphql, createSavedOperations } from "../../../../src/engine/server/graphql-role.ts";
import { CustomerDocument, DashboardDocument } from "../../desk/generated/documents.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";
import { freeScope } from "./free-scope.ts";
import { inFrontOf, send } from "./rest-stand-in.ts";

type Reply = { data: { contact: object } };

type Entry = { id: string; name: string; type: string; body: string };
const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../desk/generated/operations-manifest.json"), "utf8"),
) as { operations: Entry[] };
const entry = (name: string): Entry =>
  manifest.operations.find((each) => each.name === name) ?? expect.fail(`no operation ${name}`);
const customer = entry("Customer");
const variables = { id: "c1" };
const unknown = hash("sha256", "{ me { id } }");
const persisted = (sha256Hash: unknown, version: unknown = 1) => ({
  extensions: { persistedQuery: { version, sha256Hash } },
});

async function role(environment: NodeJS.ProcessEnv = {}) {
  const server = await createGraphql(configure(environment), api);
  onTestFinished(() => server.close());
  const ask = (payload: object, accept = "application/graphql-response+json") =>
    server.inject({ method: "POST", url: "/v1/graphql", headers: { accept }, payload });
  const codeOf = async (payload: object) => {
    const answer = await ask(payload);
    return [answer.statusCode, answer.json().errors?.[0]?.extensions.code];
  };
  return { server, ask, codeOf };
}

/** A REST platform with the contact `c1` and no conversations. */
const desk = () =>
  inFrontOf((request, response) =>
    send(response, request.url?.startsWith("/v1/crm/contacts/c1") ? contact : { items: [], results: [] }),
  );
const contact = { id: "c1", name: "Ada", stage: "customer", tags: [], createdAt: "2026-01-01T00:00:00Z" };

describe("a saved operation runs by its id", () => {
  test.each<[string, object]>([
    ["as documentId", { documentId: customer.id }],
    ["as documentId with its prefix", { documentId: `sha256:${customer.id}` }],
    ["as Apollo's persistedQuery", persisted(customer.id)],
    [
      "as both, with its text",
      { documentId: customer.id, query: CustomerDocument, ...persisted(customer.id) },
    ],
  ])("%s", async (_form, asked) => {
    const { post } = await desk();
    const body = JSON.stringify({ ...asked, variables, operationName: "Customer" });
    const byId = (await (await post("", { body })).json()) as Reply;
    const byText = await (
      await post("", { body: JSON.stringify({ query: customer.body, variables }) })
    ).json();
    expect(byId.data.contact).toMatchObject({ id: "c1", name: "Ada" });
    expect(byId).toEqual(byText);
  });

  test("by GET", async () => {
    const { url } = await desk();
    url.search = String(
      new URLSearchParams({ documentId: `sha256:${customer.id}`, variables: JSON.stringify(variables) }),
    );
    const answer = await fetch(url, { headers: { "x-api-key": "key" } });
    expect(await answer.json()).toMatchObject({ data: { contact: { name: "Ada" } } });
    url.search = String(
      new URLSearchParams({
        variables: JSON.stringify(variables),
        extensions: JSON.stringify(persisted(customer.id).extensions),
      }),
    );
    expect(await (await fetch(url)).json()).toMatchObject({ data: { contact: { name: "Ada" } } });
  });

  test("except a mutation by GET", async () => {
    const { server } = await role();
    const query = {
      documentId: entry("Answer").id,
      variables: '{"channel":"sms","to":"1","body":"b","key":"k"}',
    };
    const answer = await server.inject({ method: "GET", url: "/v1/graphql", query });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, "POST"]);
  });

  test("by the digest of its text with __typename, which Apollo Client and urql send", async () => {
    const { post } = await desk();
    const text = customer.body.replaceAll(/^( +)\}$/gm, "$1  __typename\n$1}");
    expect(text.match(/__typename/g)).toHaveLength(5);
    const body = JSON.stringify({ ...persisted(hash("sha256", text)), variables });
    const answer = (await (await post("", { body })).json()) as Reply;
    expect(answer.data.contact).toMatchObject({ name: "Ada", __typename: "Contact" });
  });
});

test("the ids are the digests of the clients' texts", () => {
  expect(hash("sha256", DashboardDocument)).toBe(entry("Dashboard").id);
  expect(manifest.operations.map(({ body }) => hash("sha256", body))).toEqual(
    manifest.operations.map(({ id }) => id),
  );
});

/** The clients' own code computed these digests: Apollo Client 4.3.8, `@urql/core` 6.0.3. */
test.each([
  ["the saved text", "bf1f23ca379baa53213300216f22deddfc40f6809ea1fee2a46ae37c3a1216e2"],
  ["Apollo Client's text", "8f87f94ce1beafb6aa070004609ede0664a814fe9c509540a210710933e8541a"],
  ["urql's text with its cache", "48d262533ec768a787cb317c726c0849925385032ffdc9b385fb06ef32e135a6"],
  ["urql's text without its cache", "0ab63c772d27522963cf6d403c52ae3a7102a3b49c07eacb99afdbe2ccb8769a"],
])("an operation is found by the digest of %s", (_client, digest) => {
  const body = 'query A {\n  contacts(q: "an") {\n    ...B\n  }\n}\n\nfragment B on Contact {\n  id\n}';
  const saved = new SavedOperations([{ id: hash("sha256", body), name: "A", body }]);
  expect(hash("sha256", saved.byId(digest)?.text ?? "")).toBe(digest);
});

describe("an unknown id", () => {
  test.each<[string, object]>([
    ["documentId", { documentId: unknown }],
    ["another kind of documentId", { documentId: `x-md5:${customer.id}` }],
    ["persistedQuery", persisted(unknown)],
  ])("as %s gets the error that clients match", async (_form, asked) => {
    const { ask } = await role();
    const answer = await ask(asked);
    expect(answer.json().errors).toMatchObject([
      { message: "PersistedQueryNotFound", extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } },
    ]);
    expect([answer.statusCode, (await ask(asked, "application/json")).statusCode]).toEqual([400, 200]);
  });

  test("runs with its text, and the text is not stored", async () => {
    const { ask, codeOf } = await role();
    const query = "{ __typename }";
    const asked = persisted(hash("sha256", query));
    expect((await ask({ query, ...asked })).json()).toEqual({ data: { __typename: "Query" } });
    expect(await codeOf(asked)).toEqual([400, "PERSISTED_QUERY_NOT_FOUND"]);
  });
});

test.each<[string, object, string]>([
  [
    "another text's id",
    { query: "{ me { id } }", ...persisted(customer.id) },
    "PERSISTED_QUERY_HASH_MISMATCH",
  ],
  ["another text's documentId", { query: "{ me { id } }", documentId: "a" }, "PERSISTED_QUERY_HASH_MISMATCH"],
  ["another version", persisted(customer.id, 2), "BAD_REQUEST"],
  ["an id that is not a string", persisted(1), "BAD_REQUEST"],
])("%s is refused", async (_name, asked, code) => {
  const { codeOf } = await role();
  expect(await codeOf(asked)).toEqual([400, code]);
});

describe("OPERATIONS=saved", () => {
  test("refuses any other operation in each form", async () => {
    const { codeOf } = await role({ OPERATIONS: "saved" });
    const query = "{ me { id } }";
    expect(await codeOf({ query })).toEqual([400, "OPERATION_NOT_SAVED"]);
    expect(await codeOf({ query, ...persisted(unknown) })).toEqual([400, "OPERATION_NOT_SAVED"]);
    expect(await codeOf({ query: `${customer.body} }` })).toEqual([400, "OPERATION_NOT_SAVED"]);
    expect(await codeOf({ query: customer.body.replace("company", "tags") })).toEqual([
      400,
      "OPERATION_NOT_SAVED",
    ]);
    expect(await codeOf({ query: "{ __schema { queryType { name } } }" })).toEqual([
      400,
      "OPERATION_NOT_SAVED",
    ]);
    expect(await codeOf(persisted(unknown))).toEqual([400, "PERSISTED_QUERY_NOT_FOUND"]);
  });

  test("runs a saved operation by id and by text", async () => {
    const { codeOf } = await role({ OPERATIONS: "saved" });
    const unreachable = [200, "UPSTREAM_UNAVAILABLE"];
    expect(await codeOf({ documentId: customer.id, variables })).toEqual(unreachable);
    expect(await codeOf({ query: CustomerDocument, variables })).toEqual(unreachable);
  });

  test.each([
    ["on one line", customer.body.replaceAll(/\s+/g, " ")],
    ["with a description", `"""Shows a customer."""\n${customer.body}`],
    [
      "with descriptions of variables and fragments",
      customer.body.replace("($", '("Whose." $').replaceAll(/^fragment/gm, '"What." fragment'),
    ],
    ["with comments and commas", customer.body.replaceAll("\n", " # a comment\n,")],
    [
      "with __typename, on one line",
      customer.body.replaceAll(/^( +)\}$/gm, "$1  __typename }").replaceAll(/\s+/g, " "),
    ],
  ])("runs a saved operation whose text is %s", async (_format, query) => {
    const { codeOf } = await role({ OPERATIONS: "saved" });
    expect(await codeOf({ query, variables })).toEqual([200, "UPSTREAM_UNAVAILABLE"]);
    expect(await codeOf({ query, variables, documentId: hash("sha256", query) })).toEqual([
      200,
      "UPSTREAM_UNAVAILABLE",
    ]);
  });

  test("does not start without saved operations", () => {
    expect(() => createSavedOperations(configure({ OPERATIONS: "saved" }), [])).toThrow(/^OPERATIONS: /);
    expect(createSavedOperations(configure(), []).isEmpty).toBe(true);
  });
});

test("a saved document is parsed and validated once, even after many other documents", async () => {
  const saved = new SavedOperations([customer]);
  const executions = { count: 0 };
  const apollo = new Apollo({
    config: configure(),
    schema: buildSchema(api),
    log: console as never,
    executions,
    saved,
  });
  const parsed: string[] = [];
  apollo.addPlugin({
    requestDidStart: async () => ({
      parsingDidStart: async ({ source }) => void parsed.push(source ?? ""),
    }),
  });
  onTestFinished(() => apollo.stop());
  const run = (query: string) =>
    apollo.execute({ query }, { scope: freeScope, log: { writesInfo: false } } as never);
  await run(customer.body);
  const comment = `# ${"x".repeat(900_000)}`;
  for (let number = 0; number < 50; number++) await run(`{ __typename } ${comment}${number}`);
  await run(`{ __typename } ${comment}0`);
  await run(customer.body);
  expect(parsed).toHaveLength(52);
  expect(parsed.filter((text) => text === customer.body)).toHaveLength(1);
});

test("an operation whose document is known runs without Apollo's pipeline", async () => {
  const executions = { count: 0 };
  const apollo = new Apollo({
    config: configure(),
    schema: buildSchema(api),
    log: console as never,
    executions,
  });
  let started = 0;
  apollo.addPlugin({ requestDidStart: async () => void started++ });
  onTestFinished(() => apollo.stop());
  const run = async (query: string, operationName?: string) => {
    const context = { scope: freeScope, log: { writesInfo: false } } as never;
    const { body } = await apollo.execute({ query, ...(operationName && { operationName }) }, context);
    return body.kind === "single" ? body.singleResult : body;
  };
  const text = "query A { a: __typename } query B { b: __typename }";
  expect(await run(text, "A")).toEqual({ data: { a: "Query" } });
  expect(started).toBe(1);
  expect(await run(text, "B")).toEqual({ data: { b: "Query" } });
  expect([started, executions]).toEqual([1, { count: 2 }]);
  const wrong = await run(text, "C");
  expect(wrong).toMatchObject({ errors: [{ extensions: { code: "OPERATION_RESOLUTION_FAILURE" } }] });
  expect([started, executions]).toEqual([2, { count: 2 }]);
  const schema = "{ __schema { queryType { name } } }";
  expect(await run(schema)).toEqual({ data: { __schema: { queryType: { name: "Query" } } } });
  expect(await run(schema)).toEqual({ data: { __schema: { queryType: { name: "Query" } } } });
  expect([started, executions]).toEqual([3, { count: 4 }]);
});
