/** Parameters that are the caller's tenant (`tenantParameters` of `spec/credentials.yaml`), and who tries to be another one. */
import { expect, test } from "vitest";
import { UnreadableSpec } from "../../../../src/engine/build/diagnostic.ts";
import { explain } from "../../../../src/engine/build/explain/explain.ts";
import { isValid, Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { edited } from "../../build/check/run.ts";
import { bank, bankCredentials, bankSchema } from "./tenant-project.ts";
import { ask, asTenant, json, layer, spec } from "./vendor-project.ts";

const credentials = bankCredentials("https://bank.example");
const project = (changes: Readonly<Record<string, string>>): Project =>
  new Project(
    textFiles(
      new Map(
        Object.entries({
          "openapi/bank.yaml": bank,
          "openapi/pager.yaml": spec["openapi/pager.yaml"] ?? "",
          "schema.graphql": bankSchema.replace(/^ {2}(?:service|issue|place|boxe|note|add[SI]).*\n/gm, ""),
          "credentials.yaml": credentials,
          ...changes,
        }),
      ),
    ),
  );

function errorsOf(changes: Readonly<Record<string, string>>): string {
  try {
    const { diagnostics } = project(changes);
    return diagnostics
      .flatMap(({ severity, rule, coordinate, message }) =>
        severity === "error" ? [`${rule} ${coordinate}: ${message}`] : [],
      )
      .join("\n");
  } catch (error) {
    if (!(error instanceof UnreadableSpec)) throw error;
    return error.diagnostics.map(({ message }) => message).join("\n");
  }
}

const schema = bankSchema.replace(/^ {2}(?:service|issue|place|boxe|note|add[SI]).*\n/gm, "");
const withField = (was: string, is: string) => ({ "schema.graphql": edited(schema, was, is) });
const withFile = (was: string, is: string) => ({ "credentials.yaml": edited(credentials, was, is) });

test("operations with a tenant's parameter need no line in everyTenantMay", () => {
  expect(errorsOf({})).toBe("");
  expect(errorsOf(withFile("    GET /transfers: { query: account }\n", ""))).toMatch(
    /held-credential-shared Query\.transfers[\s\S]*held-credential-shared Card\.transfer/,
  );
  const read = project({});
  if (!isValid(read)) throw new Error("not valid");
  expect(explain(read.model, [], "Query.cards")).toEqual(
    expect.arrayContaining([
      "  path account: the id of the caller's tenant, required",
      "  credential: the server's, in the header as x-bank-client, to https://bank.example only; one for all tenants (bank-client), whose id is the path parameter account",
    ]),
  );
});

test("a parameter that a field feeds too names what to remove", () => {
  const hintsOf = (changes: Readonly<Record<string, string>>): string[] =>
    project(changes).diagnostics.flatMap(({ rule, hint }) => (rule === "parameter-fed-twice" ? [hint] : []));
  const tenant = (name: string) =>
    `by tenantParameters in spec/credentials.yaml, "${name}" is the id of the caller's tenant`;
  expect(hintsOf(withField("cards(q: String)", "cards(q: String, account: String)"))).toEqual([
    `remove the argument: ${tenant("account")}`,
  ]);
  const constant = '[Owner!] @rest(operation: "listOwners", params: [{ name: "x-account", value: "globex" }]';
  expect(hintsOf(withField('[Owner!] @rest(operation: "listOwners"', constant))).toEqual([
    `remove "X-Account" from params of @rest: ${tenant("X-Account")}`,
  ]);
});

test.each([
  [
    "an argument of its name",
    withField("cards(q: String)", "cards(q: String, account: String)"),
    /parameter-fed-twice Query\.cards\(account:\): two sources feed path "account"/,
  ],
  [
    "an argument with a default",
    withField("transfers(ids: [ID!])", 'transfers(ids: [ID!], account: String = "globex")'),
    /parameter-fed-twice Query\.transfers\(account:\)/,
  ],
  [
    "an argument of another name",
    withField("cards(q: String)", 'cards(q: String, of: String @restName(name: "account"))'),
    /parameter-fed-twice Query\.cards\(of:\)/,
  ],
  [
    "a parameter from an argument",
    withField(
      'cards(q: String): [Card!] @rest(operation: "listCards"',
      'cards(q: String): [Card!] @rest(operation: "listCards", params: [{ name: "account", from: "args.q" }]',
    ),
    /parameter-fed-twice Query\.cards/,
  ],
  [
    "a constant",
    withField(
      '[Owner!] @rest(operation: "listOwners"',
      '[Owner!] @rest(operation: "listOwners", params: [{ name: "x-account", value: "globex" }]',
    ),
    /parameter-fed-twice Query\.owners/,
  ],
  [
    "a key of the parent in a batch",
    withField('{ name: "ids", from', '{ name: "account", from: "parent.name" }, { name: "ids", from'),
    /parameter-fed-twice Card\.transfer/,
  ],
  [
    "a key of the parent",
    withField(
      "  transfer: Transfer",
      '  others: [Card!] @rest(operation: "listCards", params: [{ name: "account", from: "parent.id" }])\n  transfer: Transfer',
    ),
    /parameter-fed-twice Card\.others/,
  ],
  [
    "an argument above",
    withField(
      "  transfer: Transfer",
      '  others: [Card!] @rest(operation: "listCards", params: [{ name: "account", from: "argsAbove.q" }])\n  transfer: Transfer',
    ),
    /parameter-fed-twice Card\.others/,
  ],
  [
    "a whole body",
    {
      "schema.graphql": `${edited(schema, "addOrder(name: String!)", "addOrder(input: NewOrder!)")}\ninput NewOrder {\n  account: String!\n  name: String!\n}\n`,
    },
    /held-credential-tenant Mutation\.addOrder: Mutation\.addOrder takes a whole body from clients, which may have the tenant's "account"/,
  ],
  [
    "an object whose members are parameters",
    {
      "schema.graphql": `${edited(schema, "transfers(ids: [ID!])", "transfers(ids: [ID!], filter: JSON)")}`,
    },
    /held-credential-tenant Query\.transfers: .*feeds the query parameter "filter", whose members a client names, also like the tenant's "account"/,
  ],
  [
    "its name in another place",
    withField(
      "transfers(ids: [ID!])",
      'transfers(ids: [ID!], a: String @restName(name: "Account", in: HEADER))',
    ),
    /held-credential-tenant Query\.transfers: .*feeds the header parameter "Account", which REST may take for the tenant's/,
  ],
  [
    "a thing by its id, beside the tenant",
    {
      ...withField("  owners:", '  free(id: ID!): Card @rest(operation: "cardById")\n  owners:'),
      ...withFile("    GET /owners:", "    GET /cards/{id}: { query: account }\n    GET /owners:"),
    },
    /held-credential-tenant Query\.free: .*lets clients choose "id" in the path, which is not below the tenant's/,
  ],
  [
    "an object whose members are query parameters, beside a tenant in the path",
    {
      ...withField("cards(q: String)", "cards(q: String, filter: JSON)"),
      "openapi/bank.yaml": edited(
        bank,
        "{ name: q, in: query, schema: { type: string } }]",
        "{ name: q, in: query, schema: { type: string } }, { name: filter, in: query, style: form, explode: true, schema: { type: object, additionalProperties: { type: string } } }]",
      ),
    },
    /held-credential-tenant Query\.cards: .*feeds the query parameter "filter", whose members a client names/,
  ],
  [
    "a whole body whose members a client names, beside a tenant in the query",
    {
      "schema.graphql": edited(
        edited(schema, "addOrder(name: String!)", "addOrder(input: JSON!)"),
        '(operation: "addOrder")',
        '(operation: "addOrder", body: "args.input")',
      ),
      "openapi/bank.yaml": edited(
        bank,
        "schema: { type: object, required: [account, name], properties: { account: { type: string }, name: { type: string } } } } } }",
        "schema: { type: object, properties: { name: { type: string } } } } } }\n      parameters: [{ name: account, in: query, required: true, schema: { type: string } }]",
      ),
      ...withFile("POST /orders: { body: account }", "POST /orders: { query: account }"),
    },
    /held-credential-tenant Mutation\.addOrder: .*takes a whole body from clients/,
  ],
  [
    "the key of a representation, beside the tenant",
    {
      "schema.graphql": `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])\n${schema}\ntype Order2 @key(fields: "id") {\n  id: ID!\n  card: Card @rest(operation: "cardById", params: [{ name: "id", from: "parent.id" }])\n}\n`,
      ...withFile("    GET /owners:", "    GET /cards/{id}: { query: account }\n    GET /owners:"),
    },
    /held-credential-tenant Order2\.card: .*"id" in the path, which is not below the tenant's/,
  ],
])("a client cannot set the tenant by %s", (_what, changes, message) => {
  expect(errorsOf(changes)).toMatch(message);
});

test.each([
  [
    "an unknown operation",
    withFile("GET /owners: {", "GET /owner: {"),
    /held-credential-unfit bank#tenantParameters#GET \/owner: bank has no operation "GET \/owner"/,
  ],
  [
    "an unknown parameter",
    withFile("{ header: X-Account }", "{ header: X-Acount }"),
    /"GET \/owners" has no header parameter "X-Acount"/,
  ],
  [
    "another place",
    withFile("{ query: account }", "{ header: account-id }"),
    /"GET \/transfers" has no header parameter "account-id"/,
  ],
  [
    "a number",
    withFile("GET /transfers: { query: account }", "GET /transfers: { header: X-Limit }"),
    /the header parameter "X-Limit" of "GET \/transfers" does not accept strings/,
  ],
  [
    "an operation without the credential",
    withFile("GET /owners: { header: X-Account }", "GET /free/{id}: { path: id }"),
    /"GET \/free\/\{id\}" is not called with a credential of the server/,
  ],
  ["two parameters", withFile("{ query: account }", "{ query: account, header: a }"), /needs one parameter/],
  ["a cookie", withFile("{ query: account }", "{ cookie: account }"), /needs one parameter/],
  ["a text", withFile("{ query: account }", "account"), /needs one parameter/],
  ["an operationId", withFile("GET /owners: {", "listOwners: {"), /must be a method and a path/],
])("%s in the file is an error", (_what, changes, message) => {
  expect(errorsOf(changes)).toMatch(message);
});

const vendorLayer = () =>
  layer(
    (request, response) => {
      const item = { id: "1", name: `${request.headers["x-account"] ?? request.url}` };
      const isOne = request.method === "POST" || /cards\//.test(request.url ?? "");
      json(response, request.method === "POST" ? 201 : 200, isOne ? item : [item], {
        "cache-control": "max-age=60",
      });
    },
    {
      files: { "openapi/bank.yaml": bank, "schema.graphql": bankSchema },
      credentials: ({ bank: origin = "" }) => bankCredentials(origin),
    },
  );

test("each call is for the caller's tenant, whatever the client asks for", async () => {
  const { vendors, begin } = await vendorLayer();
  const { url } = await begin();
  const query = `query Q($id: ID!) {
    cards(q: "account=globex&account=globex") { name transfer { name } }
    other: cards { name transfer { id } }
    card(id: $id) { name }
    transfers(ids: ["1"]) { name }
    owners { name }
  }`;
  const attempt = { "x-account": "globex", account: "globex", "X-Service-Tenant": "globex" };
  const answers = await Promise.all(
    ["acme", "initech", "acme"].map((tenant) =>
      ask(url, query, asTenant(tenant, attempt), { id: "7", account: "globex", tenant: "globex" }),
    ),
  );
  expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined]);
  expect(answers.map(({ data }) => data?.owners?.[0]?.name)).toEqual(["acme", "initech", "acme"]);
  expect(answers.map(({ data }) => data?.transfers?.[0]?.name)).toEqual([
    "/transfers?account=acme&ids=1",
    "/transfers?account=initech&ids=1",
    "/transfers?account=acme&ids=1",
  ]);
  await ask(url, 'mutation { addOrder(name: "x") { name } }', asTenant("acme", attempt));
  const { seen } = vendors.bank;
  expect(seen.length).toBeGreaterThan(8);
  for (const { line, headers } of seen) {
    expect(line).not.toMatch(/[?&/]globex/);
    expect(line).toMatch(/\/accounts\/(?:acme|initech)\/|[?&]account=(?:acme|initech)\b|\/owners|\/orders/);
    expect(headers["x-account"] ?? "acme").toMatch(/^(?:acme|initech)$/);
    expect(headers).not.toHaveProperty("account");
  }
});

test("a path stays below the tenant's, and a tenant is one value", async () => {
  const { vendors, begin } = await vendorLayer();
  const { url } = await begin();
  const codes = async (tenant: string, query: string, variables = {}) => {
    const { errors = [] } = await ask(url, query, asTenant(tenant), variables);
    return errors.map(({ extensions }) => extensions.code);
  };
  for (const id of ["..", "../../globex/cards", "%2e%2e/%2e%2e/globex", "1/../../globex", ".."])
    expect(await codes("acme", "query ($id: ID!) { card(id: $id) { name } }", { id })).toEqual([
      "BAD_USER_INPUT",
    ]);
  for (const tenant of ["..", "acme%2Fcards", "acme%3Faccount=globex", "acme%2Cglobex", "acme%20globex"])
    expect(await codes(tenant, "{ cards { name } }")).toEqual(["FORBIDDEN"]);
  expect(await codes("acme", '{ cards(account: "globex") { name } }')).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
  expect((await ask(url, "{ owners { name } }", {})).errors?.[0]?.extensions.code).toBe("UNAUTHENTICATED");
  expect(vendors.bank.seen).toEqual([]);
});

test("a body has the tenant, and nothing else of its name", async () => {
  const bodies: string[] = [];
  const { begin } = await layer(
    (_request, response, body) => {
      bodies.push(body);
      json(response, 201, { id: "1", name: "x" });
    },
    {
      files: { "openapi/bank.yaml": bank, "schema.graphql": bankSchema },
      credentials: ({ bank: origin = "" }) => bankCredentials(origin),
    },
  );
  const { url } = await begin();
  const name = '","account":"globex';
  await ask(url, "mutation ($name: String!) { addOrder(name: $name) { id } }", asTenant("acme"), { name });
  expect(bodies.map((body) => JSON.parse(body))).toEqual([{ account: "acme", name }]);
});
