/** Operations that the base had: one with another name now, one that is gone. Neither is a misspelt name. */
import { expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import type { Finding } from "../../../../src/engine/build/check/report.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { stepFindings } from "./in-memory.ts";
import { validProject } from "./mutations/pair.ts";

const answer = (schema: object): object => ({
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});
const user = {
  type: "object",
  required: ["id", "boss"],
  properties: { id: { type: "string" }, boss: { type: "string" } },
};
const id = { name: "id", in: "path", required: true, schema: { type: "string" } };

/** With the user's operation under this name; without one there is no such operation. */
const openapi = (name?: string): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/users": { get: { operationId: "users_list", ...answer({ type: "array", items: user }) } },
      "/users/me": { get: { operationId: "users_me_retrieve", ...answer(user) } },
      ...(name && { "/users/{id}": { get: { operationId: name, parameters: [id], ...answer(user) } } }),
    },
  });

const schema = `type Query {
  users: [User!] @rest(operation: "users_list")
  me: User @rest(operation: "users_me_retrieve")
}
type User {
  id: ID!
  boss: User @rest(operation: "users_retrieve", params: [{ name: "id", from: "parent.boss" }])
}
`;

const approvals = (fingerprint = "none"): string =>
  JSON.stringify([
    {
      ...{ fingerprint, rule: "n-plus-one", coordinate: "User.boss" },
      ...{ reason: "few", author: "ops", expires: "2026-02-01" },
    },
  ]);

const files = (document: string, text = schema, approved = approvals()) =>
  new Map(
    Object.entries({
      "openapi.yaml": document,
      "schema.graphql": text,
      "rest-only.yaml": "",
      "approvals.yaml": approved,
    }),
  );

/** What `check --base` says of the step to this document and schema. The base's one warning is approved. */
function step(document: string, text?: string): readonly Finding[] {
  const base = validProject(files(openapi("users_retrieve")));
  const [warning] = examine(base, undefined, "2026-01-01").findings;
  const head = new Project(textFiles(files(document, text, approvals(warning?.fingerprint))));
  return examine(head, base, "2026-01-01").findings.filter(({ approval }) => !approval);
}

test("a renamed operationId is one finding, with the new name", () => {
  const [found, ...others] = step(openapi("users_read"));
  expect(found).toMatchObject({
    ...{ rule: "operation-unknown", change: "breaking", coordinate: "User.boss" },
    message: 'GET /users/{id} (users_retrieve) is named "users_read" now',
    hint: 'write "users_read" in @rest',
  });
  expect(others).toEqual([]);
  const mended = step(openapi("users_read"), schema.replace("users_retrieve", "users_read"));
  // the approval named the operation, so it is to renew
  expect(mended.map(({ rule }) => rule)).toEqual(["n-plus-one", "approval-unused"]);
});

test("an operation that is gone has no similar name, and no line of today's document", () => {
  const [found, ...others] = step(openapi());
  expect(found).toMatchObject({
    ...{ rule: "operation-unknown", change: "breaking", coordinate: "User.boss" },
    message: "the document no longer has GET /users/{id} (users_retrieve)",
    hint: "remove the field, or bind it to another operation",
  });
  expect(found?.places.map(({ role }) => role)).toEqual(["schema", "base rest"]);
  expect(others).toEqual([]);
});

test.each([
  ["an operation", "$.paths['/users/{id}']", "operation-unknown", "User.boss"],
  ["all operations", "$.paths", "operation-unknown", "Query.users"],
  ["a parameter of a list", "$.paths['/users'].get.parameters[0]", "argument-unused", "Query.users(role:)"],
  ["all parameters", "$.paths['/users'].get.parameters", "argument-unused", "Query.users(role:)"],
])("%s that the overlay removes is told at the action that does so", (_, target, rule, coordinate) => {
  const document = JSON.parse(openapi("users_retrieve"));
  const parameters = ["role", "team"].map((name) => ({ name, in: "query", schema: { type: "string" } }));
  document.paths["/users"].get.parameters = parameters;
  const asked = schema.replace("users:", "users(role: String):");
  const given = files(JSON.stringify(document), asked);
  const overlay = `overlay: 1.0.0\nactions:\n  - target: ${target}\n    remove: true\n`;
  const head = new Project(textFiles(new Map(given).set("overlay.yaml", overlay)));
  const found = examine(head, validProject(given), "2026-01-01").findings;
  const broken = found.filter(({ change }) => change === "breaking");
  expect(broken[0]).toMatchObject({ rule, coordinate });
  expect(broken[0]?.places.map(({ role, file, line }) => `${role} ${file}:${line}`)).toEqual([
    expect.stringMatching(/^schema /),
    "rest spec/overlay.yaml:3",
    expect.stringMatching(/^base rest spec\/openapi\.yaml:/),
  ]);
});

/** A shop whose item names its maker, each operation by its id and the properties of its answer. */
type Shop = Readonly<
  Record<"item" | "maker", readonly [operationId: string, properties: object] | undefined>
>;

const text = { type: "string" };
const item = { sku: text, maker: text, price: { type: "object", properties: { net: text } } };
const shop = { item: ["getItem", item], maker: ["getMaker", { name: text, city: text }] } as const;

function shopDocument({ item: one, maker }: Shop): string {
  const read = ([operationId, properties]: readonly [string, object], parameters: object[] = []) => ({
    get: {
      operationId,
      parameters,
      ...answer({ type: "object", required: Object.keys(properties), properties }),
    },
  });
  const paths = {
    "/health": { get: { operationId: "health", ...answer(text) } },
    ...(one && { "/item": read(one) }),
    ...(maker && { "/makers/{id}": read(maker, [id]) }),
  };
  return JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [], paths });
}

const shopSchema = `type Query { item: Item @rest(operation: "getItem") }
type Item {
  sku: String!
  price: Price
  maker: Maker @rest(operation: "getMaker", params: [{ name: "id", from: "parent.maker" }])
}
type Price { net: String }
type Maker { name: String! city: String }
`;

const told = (edited: Partial<Shop>): string[] =>
  stepFindings(shopSchema, shopDocument(shop), shopDocument({ ...shop, ...edited })).map(
    ({ rule, coordinates }) => `${rule}: ${coordinates?.join(", ")}`,
  );

test("what an edit breaks below a renamed operation is told beside the new name", () => {
  const { sku: _, ...others } = item;
  const price = { type: "object", properties: { gross: text } };
  expect(told({ item: ["readItem", { ...others, price }] })).toEqual([
    "operation-unknown: Query.item",
    "property-missing: Item.sku",
    "property-missing: Price.net",
  ]);
  expect(told({ maker: ["readMaker", { city: text }] })).toEqual([
    "operation-unknown: Item.maker",
    "property-missing: Maker.name",
  ]);
});

test("changes that the proof does not see are told below a renamed operation too", () => {
  const sku = { type: "string", enum: ["a"] };
  const [old, now] = [["a"], ["a", "b"]].map((values) =>
    shopDocument({ ...shop, item: ["getItem", { ...item, sku: { ...sku, enum: values } }] }),
  ) as [string, string];
  expect(stepFindings(shopSchema, old, now.replace("getItem", "readItem"))).toMatchObject([
    { rule: "operation-unknown", coordinate: "Query.item" },
    { rule: "rest-enum-changed", change: "dangerous", coordinate: "Item.sku" },
  ]);
});

test("an operationId that another operation shares now hides nothing below its field", () => {
  const { sku: _, ...others } = item;
  const is = JSON.parse(shopDocument({ ...shop, item: ["getItem", others] }));
  is.paths["/other"] = { get: { operationId: "getItem", ...answer(text) } };
  const found = stepFindings(shopSchema, shopDocument(shop), JSON.stringify(is));
  expect(found.map(({ rule, coordinate }) => `${rule}: ${coordinate}`)).toEqual([
    "operation-id-duplicate: Query.item",
    "property-missing: Item.sku",
  ]);
});

test("an operation that is gone is one finding, with all that is below it", () => {
  expect(told({ item: undefined })).toEqual(["operation-unknown: Query.item"]);
  // each operation is an edit
  expect(told({ item: undefined, maker: undefined })).toEqual([
    "operation-unknown: Query.item",
    "operation-unknown: Item.maker",
  ]);
  expect(told({ item: undefined, maker: ["readMaker", { city: text }] })).toEqual([
    "operation-unknown: Query.item",
    "operation-unknown: Item.maker",
  ]);
});

test("an unknown operation below a field that does not bind is told without a base as well", () => {
  const head = new Project(
    textFiles(
      new Map(
        Object.entries({
          "openapi.yaml": shopDocument({ item: undefined, maker: undefined }),
          "schema.graphql": shopSchema,
        }),
      ),
    ),
  );
  expect(head.diagnostics.map(({ rule, coordinate }) => `${rule}: ${coordinate}`)).toEqual([
    "operation-unknown: Query.item",
    "operation-unknown: Item.maker",
  ]);
});
