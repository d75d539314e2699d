/**
 * A federation subgraph: `@link` in the schema switches it on. Representations of entities are resolved by the operations that
 * `@rest` names on their types, for the caller alone, and each is checked as input of a stranger.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApolloServer } from "@apollo/server";
import { ApolloServerPluginInlineTraceDisabled } from "@apollo/server/plugin/disabled";
import { startStandaloneServer } from "@apollo/server/standalone";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { getStitchedSchemaFromSupergraphSdl } from "@graphql-tools/federation";
import { composeServices } from "@theguild/federation-composition";
import { execute, parse } from "graphql";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { findSubgraphErrors } from "../../../src/engine/server/check-config.ts";
import { listens, startProgram } from "../../support/child-process.ts";
import { type Project, projectOf } from "../../support/project.ts";
import { startShop } from "./shop.ts";

let copy: Project;
let url: URL;
let calls: string[];

beforeAll(async () => {
  copy = projectOf(join(import.meta.dirname, "spec"));
  writeFileSync(join(copy.root, "package.json"), '{ "type": "module" }');
  await copy.codegen();
  const shop = await startShop();
  calls = shop.calls;
  const program = startProgram([copy.main, "graphql"], { REST_BASE_URL: shop.url.href });
  url = await listens(program);
  return async () => {
    await program.stop();
    await shop.close();
    copy.remove();
  };
});
beforeEach(() => void calls.splice(0));

async function ask(query: string, variables: object = {}, key = "k") {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const body = JSON.stringify({ query, variables });
  const reply = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body });
  // biome-ignore lint/suspicious/noExplicitAny: each test knows its answer
  return reply.json() as Promise<any>;
}

const entities = (representations: readonly unknown[], selection: string, key?: string) =>
  ask(
    `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`,
    { representations },
    key,
  );

const product = (id: unknown) => ({ __typename: "Product", id });

test("fifty representations are one call, in their order, and equal ones are asked for once", async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `p${index}`);
  const { data, errors } = await entities(
    [...ids, "p7"].map(product),
    "__typename ... on Product { id name }",
  );
  expect(errors).toBeUndefined();
  expect(data._entities).toHaveLength(51);
  expect(data._entities[0]).toBeNull();
  expect(data._entities[7]).toEqual({ __typename: "Product", id: "p7", name: "Product 7" });
  expect(data._entities[50]).toEqual(data._entities[7]);
  expect(calls).toEqual([`/products?ids=${ids.join()} k`]);
});

test("each key has its operation, enums are REST's, and what a key gives needs no call", async () => {
  const { data, errors } = await entities(
    [
      { __typename: "Product", region: "US", sku: "s1", extra: { id: 1 } },
      { __typename: "Product", region: "EU", sku: "s0" },
      { __typename: "User", id: "42" },
      product("p3"),
    ],
    "... on Product { id seller { id } brand { id } } ... on User { id orders { number product { name } } }",
  );
  expect(errors).toBeUndefined();
  expect(data._entities).toEqual([
    { id: "p1", seller: { id: "1" }, brand: { id: "b1" } },
    null,
    { id: "42", orders: [{ number: 1, product: { name: "Product 1" } }] },
    { id: "p3", seller: { id: "0" }, brand: { id: "b1" } },
  ]);
  expect(calls.sort()).toEqual([
    "/products/eu/s0 k",
    "/products/us/s1 k",
    "/products?ids=p1 k",
    "/products?ids=p3 k",
    "/users/42/orders k",
  ]);
});

test("a field takes what it requires from the representation, and is null without it", async () => {
  const user = { __typename: "User", id: "4" };
  const { data, errors } = await entities(
    [
      { ...user, country: "NL", vip: true },
      { ...user, vip: false },
      { ...user, country: 7, vip: true },
      { ...user, country: "../admin", vip: false },
    ],
    "... on User { postage }",
  );
  expect(data._entities).toEqual([{ postage: 9 }, { postage: null }, null, { postage: null }]);
  expect(errors).toMatchObject([
    { path: ["_entities", 2], message: '"country" of a representation of User is not of the type String' },
    { path: ["_entities", 3, "postage"] },
  ]);
  expect(calls).toEqual(["/postage/NL?express=true k"]);
});

test("an invalid representation fails alone, by a clear error, and reaches no REST", async () => {
  const invalid: [representation: unknown, message: string][] = [
    ["p1", "a representation is an object with __typename and a key"],
    [[product("p1")], "a representation is an object with __typename and a key"],
    [7, "a representation is an object with __typename and a key"],
    [{ id: "p1" }, "a representation has no __typename"],
    [{ __typename: 7, id: "p1" }, "a representation has no __typename"],
    ...["Brand", "Order", "Query", "constructor", "__proto__", "toString", ""].map(
      (__typename): [unknown, string] => [
        { __typename, id: "p1" },
        "the __typename of a representation is not an entity of this subgraph",
      ],
    ),
    [{ __typename: "Product" }, 'a representation of Product needs the key "id" or "region sku"'],
    [product(null), 'a representation of Product needs the key "id" or "region sku"'],
    [{ __typename: "Product", sku: "s1" }, 'a representation of Product needs the key "id" or "region sku"'],
    ...[{}, ["p1"], true, 1.5, "p\ud800"].map((id): [unknown, string] => [
      product(id),
      '"id" of a representation of Product is not of the type ID',
    ]),
    [
      { __typename: "Product", region: "eu", sku: "s1" },
      '"region" of a representation of Product is not of the type Region',
    ],
    ...["x", "1e3", "9007199254740993", "", "0x10", " 1"].map((id): [unknown, string] => [
      { __typename: "User", id },
      '"id" of a representation of User is not of the type ID',
    ]),
    [product("../users/1"), 'argument "id" does not have the form that it needs: ^p[0-9]+$'],
    [{ __typename: "Product", region: "EU", sku: "" }, 'argument "sku" must not be empty'],
  ];
  const { data, errors } = await entities(
    [...invalid.map(([representation]) => representation), product("p1")],
    "... on Product { name } ... on User { orders { number } }",
  );
  expect(data._entities).toEqual([...invalid.map(() => null), { name: "Product 1" }]);
  expect(calls).toEqual(["/products?ids=p1 k"]);
  expect(errors.map(({ path, message, extensions: { code } }: never) => [path, message, code])).toEqual(
    invalid.map(([, message], index) => [["_entities", index], message, "BAD_USER_INPUT"]),
  );
});

test("a representation with __proto__ is what it says, and literals are checked like variables", async () => {
  const text = '{"representations":[{"__typename":"Product","__proto__":{"id":"p1"}}]}';
  const query =
    "query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }";
  const { errors } = await ask(query, JSON.parse(text));
  expect(errors[0].message).toMatch(/needs the key/);
  const literal =
    '{ _entities(representations: [{ __typename: "Product", id: "p2" }]) { ... on Product { name } } }';
  expect(await ask(literal)).toEqual({ data: { _entities: [{ name: "Product 2" }] } });
});

test("a key with the separator of a list is one key, and one that cannot be written is the gateway's mistake", async () => {
  const tag = (name: string) => ({ __typename: "Tag", name });
  const { data } = await entities(["a,b", "a%2Cb", "a"].map(tag), "... on Tag { name }");
  expect(data._entities).toEqual([{ name: "a,b" }, { name: "a%2Cb" }, { name: "a" }]);
  expect(calls.splice(0)).toEqual(["/tags?names=a%2Cb,a%252Cb,a k"]);
  expect(await entities([tag("")], "... on Tag { name }")).toMatchObject({
    data: { _entities: [null] },
    errors: [
      {
        path: ["_entities", 0],
        message: 'the key "name" of a representation cannot be sent to REST',
        extensions: { code: "BAD_USER_INPUT" },
      },
    ],
  });
  expect(calls).toEqual([]);
});

test("more than 1,000 representations are refused, and 1,000 are ten calls", async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => product(`p${index + 1}`));
  const { data, errors } = await entities(many, "__typename");
  expect(data).toBeNull();
  expect(errors[0]).toMatchObject({ extensions: { code: "LIMIT_EXCEEDED" } });
  expect(calls).toEqual([]);
  const answer = await entities(many.slice(0, 1_000), "... on Product { name }");
  expect(answer.errors).toBeUndefined();
  expect(answer.data._entities.at(-1)).toEqual({ name: "Product 1000" });
  expect(calls).toHaveLength(10);
});

test("callers get what REST gives each of them, at once", async () => {
  const asked = ["a", "stranger", "b"].map((key) =>
    entities([product("p1")], "... on Product { name }", key),
  );
  const [a, stranger, b] = await Promise.all(asked);
  expect([a.data, b.data]).toEqual([a.data, a.data]);
  expect(stranger).toMatchObject({
    data: { _entities: [null] },
    errors: [{ extensions: { code: "FORBIDDEN" } }],
  });
  expect(calls.sort()).toEqual(["a", "b", "stranger"].map((key) => `/products?ids=p1 ${key}`));
});

test("the SDL composes; clients see neither directives nor references", async () => {
  const { data } = await ask("{ _service { sdl } }");
  expect(data._service.sdl).toBe(copy.read("generated/subgraph.graphql"));
  const users = readFileSync(join(import.meta.dirname, "users.graphql"), "utf8");
  const { errors, supergraphSdl } = composeServices([
    { name: "shop", typeDefs: parse(data._service.sdl) },
    { name: "users", typeDefs: parse(users) },
  ]);
  expect(errors).toBeUndefined();
  expect(supergraphSdl).toMatch(/type Product\s+@join__type\(graph: SHOP, key: "id"\)/);
  const clients = copy.read("generated/schema.graphql");
  expect(clients).not.toMatch(/@key|@link|@tag|@inaccessible|_entit|_Any|federation/);
  const wrong = await ask('{ _entityProduct(id: ["p1"]) { name } }');
  expect(wrong.errors[0].message).toMatch(/Cannot query field "_entityProduct"/);
});

/** The other subgraph, of Apollo's own library, which knows nothing of this engine. */
async function startUsers() {
  const users = [
    { id: "0", name: "Cy", country: "FR", vip: false },
    { id: "1", name: "Ann", country: "NL", vip: true },
    { id: "2", name: "Bo", country: "DE", vip: false },
  ];
  const accounts = [
    { __typename: "Person", id: "1", name: "Ann" },
    { __typename: "Company", id: "2", name: "Bo Inc.", size: 7 },
  ];
  const typeDefs = parse(readFileSync(join(import.meta.dirname, "users.graphql"), "utf8"));
  const resolvers = {
    Query: { users: () => users.slice(1), accounts: () => accounts },
    Account: {
      __resolveType: ({ size }: { size?: number }) => (size === undefined ? "Person" : "Company"),
      __resolveReference: ({ id }: { id: string }) => accounts.find((account) => account.id === id),
    },
    User: {
      __resolveReference: (user: { id: string }) => users.find(({ id }) => id === user.id),
      favourite: (user: { id: string }) => ({ __typename: "Product", id: `p${user.id}` }),
    },
    Product: { stars: ({ id }: { id: string }) => Number(id.slice(1)) },
    Brand: { title: ({ id }: { id: string }) => `Brand ${id}` },
  };
  const server = new ApolloServer({
    schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  });
  const { url } = await startStandaloneServer(server, { listen: { host: "127.0.0.1", port: 0 } });
  onTestFinished(() => server.stop());
  return { url, typeDefs };
}

test("the gateway library of The Guild resolves entities of both subgraphs, for its caller, in batches", async () => {
  const users = await startUsers();
  const { data } = await ask("{ _service { sdl } }");
  const { supergraphSdl = "" } = composeServices([
    { name: "shop", typeDefs: parse(data._service.sdl), url: new URL("/v1/graphql", url).href },
    { name: "users", ...users },
  ]);
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl,
    batch: true,
    httpExecutorOpts: { headers: { "x-api-key": "k" } },
  });
  calls.splice(0);
  const document = parse(
    "{ users { name favourite { name stars brand { title } } orders { product { name stars } } postage } products { seller { name } } }",
  );
  const order = { product: { name: "Product 1", stars: 1 } };
  const brand = { title: "Brand b1" };
  expect(await execute({ schema, document, contextValue: {} })).toEqual({
    data: {
      users: [
        { name: "Ann", favourite: { name: "Product 1", stars: 1, brand }, orders: [order], postage: 9 },
        { name: "Bo", favourite: { name: "Product 2", stars: 2, brand }, orders: [order], postage: 5 },
      ],
      products: [{ seller: { name: "Ann" } }, { seller: { name: "Bo" } }, { seller: { name: "Cy" } }],
    },
  });
  expect(calls.filter((call) => call.startsWith("/products?ids=")).length).toBeLessThanOrEqual(3);
  expect(calls.filter((call) => !call.endsWith(" k"))).toEqual([]);
});

test("a link of an interface of another subgraph is resolved for each of its object types", async () => {
  const { data: direct, errors } = await entities(
    [
      { __typename: "Account", id: "1" },
      { __typename: "Person", id: "1" },
    ],
    "__typename ... on Account { purchases { number } }",
  );
  expect(direct._entities).toEqual([{ __typename: "Account", purchases: [{ number: 1 }] }, null]);
  expect(errors).toMatchObject([{ path: ["_entities", 1], extensions: { code: "BAD_USER_INPUT" } }]);
  const users = await startUsers();
  const { data } = await ask("{ _service { sdl } }");
  const { supergraphSdl = "" } = composeServices([
    { name: "shop", typeDefs: parse(data._service.sdl), url: new URL("/v1/graphql", url).href },
    { name: "users", ...users },
  ]);
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl,
    httpExecutorOpts: { headers: { "x-api-key": "k" } },
  });
  calls.splice(0);
  const document = parse("{ accounts { __typename name ... on Company { size } purchases { number } } }");
  expect(await execute({ schema, document, contextValue: {} })).toEqual({
    data: {
      accounts: [
        { __typename: "Person", name: "Ann", purchases: [{ number: 1 }] },
        { __typename: "Company", name: "Bo Inc.", size: 7, purchases: [{ number: 1 }] },
      ],
    },
  });
  expect(calls.sort()).toEqual(["/users/1/orders k", "/users/2/orders k"]);
});

test("what is generated compiles", () => {
  expect(copy.typeErrors(["generated"])).toBe("");
});

test("a subgraph starts neither open in production nor for saved operations alone", () => {
  const subgraph = { schema: url, references: {} };
  const errors = (env: Record<string, string>, ...roles: string[]): string[] => [
    ...findSubgraphErrors(readConfig({ ...env, REST_BASE_URL: "http://shop" }, roles), subgraph),
  ];
  const production = { NODE_ENV: "production" };
  expect(errors(production, "graphql")).toEqual([
    expect.stringMatching(/^GATEWAY_SECRET: is not set, so clients/),
  ]);
  expect(errors({ ...production, GATEWAY_SECRET: "s".repeat(40) }, "graphql")).toEqual([]);
  expect(errors(production, "graphql", "gateway")).toEqual([]);
  expect(errors({ OPERATIONS: "saved" }, "graphql")).toEqual([expect.stringMatching(/^OPERATIONS: /)]);
  expect([...findSubgraphErrors(readConfig(production, ["graphql"]), undefined)]).toEqual([]);
});
