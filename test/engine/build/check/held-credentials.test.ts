/** `spec/credentials.yaml` against the documents and the fields. */
import { expect, test } from "vitest";
import { UnreadableSpec } from "../../../../src/engine/build/diagnostic.ts";
import { explain } from "../../../../src/engine/build/explain/explain.ts";
import { isValid, Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { credentialsFor, spec } from "../../runtime/rest/vendor-project.ts";
import { edited } from "./run.ts";

const origins = {
  pager: "https://api.pager.example",
  tracker: "https://tracker.example:8443",
  maps: "https://maps.example",
  mail: "http://localhost:8025",
};
const credentials = credentialsFor(origins);

const project = (changes: Readonly<Record<string, string>>): Project =>
  new Project(textFiles(new Map(Object.entries({ ...spec, "credentials.yaml": credentials, ...changes }))));

/** One line for each error: its rule, where it is, and what it says. */
function errorsOf(changes: Readonly<Record<string, string>>): string[] {
  try {
    return project(changes).diagnostics.flatMap(({ severity, rule, coordinate, message, rest, schema }) => {
      const place = schema ?? rest;
      return severity === "error" ? [`${rule} ${coordinate} ${place?.file}:${place?.line}: ${message}`] : [];
    });
  } catch (error) {
    if (!(error instanceof UnreadableSpec)) throw error;
    return error.diagnostics.map(({ message, rest }) => `${message} (line ${rest?.line})`);
  }
}

const withFile = (was: string, is: string) => ({ "credentials.yaml": edited(credentials, was, is) });
const withPager = (was: string, is: string) => ({
  "openapi/pager.yaml": edited(spec["openapi/pager.yaml"] ?? "", was, is),
});

test("the project has no finding, and its operations carry the server's credentials alone", () => {
  expect(errorsOf({})).toEqual([]);
  const { model } = project({});
  expect(model?.calledOperations.get("GET pager/services")).toMatchObject({
    held: {
      origin: origins.pager,
      credentials: [{ in: "header", name: "authorization", file: "pager-key" }],
    },
  });
  expect(model?.calledOperations.get("GET pager/services")).not.toHaveProperty("credentials");
  expect(model?.calledOperations.get("GET own/notes")).toMatchObject({ credentials: [["x-own-key"]] });
});

test("explain shows whose credential each operation carries", () => {
  const read = project({});
  if (!isValid(read)) throw new Error("not valid");
  const linesOf = (name: string): string[] =>
    explain(read.model, [], name).filter((line) => line.includes("credential:"));
  expect(["Query.services", "Query.issues", "Query.notes"].flatMap(linesOf)).toEqual([
    "  credential: the server's, in the header as authorization, to https://api.pager.example only; one for all tenants (pager-key)",
    "  credential: the server's, in the header as authorization, to https://tracker.example:8443 only; one per tenant (tracker/)",
    "  credential: the caller's, from x-own-key",
  ]);
});

test.each([
  [
    "nobody permits to every tenant",
    withFile("    GET /services: our own services, on the public status page\n", ""),
    [
      "held-credential-shared Query.services schema.graphql:2: Query.services calls pager/listServices with a credential of the server that all tenants share, so every tenant gets what the vendor shows to the server",
    ],
  ],
  [
    "writes",
    withFile("  writes: { POST /issues: a tenant adds to its own issues }\n", ""),
    [
      "held-credential-write Mutation.addIssue schema.graphql:13: Mutation.addIssue writes by tracker/addIssue with a credential of the server",
    ],
  ],
  [
    "writes for all tenants, and is only permitted as a write",
    withFile("    POST /services: anybody may add a service\n", ""),
    [
      "held-credential-shared Mutation.addService schema.graphql:12: Mutation.addService calls pager/addService with a credential of the server that all tenants share, so every tenant gets what the vendor shows to the server",
    ],
  ],
])("a field that %s is an error", (_what, changes, errors) => {
  expect(errorsOf(changes)).toEqual(errors);
});

test.each([
  ["another server", "servers: [{ url: https://api.pager.evil }]\n", "https://api.pager.evil"],
  [
    "a further server",
    "servers: [{ url: https://api.pager.example/v2 }, { url: //evil.example }]\n",
    "//evil.example",
  ],
  ["another port", "servers: [{ url: https://api.pager.example:444 }]\n", "https://api.pager.example:444"],
  ["no TLS", "servers: [{ url: http://api.pager.example }]\n", "http://api.pager.example"],
  [
    "a look-alike",
    "servers: [{ url: https://api.pager.example@evil.example }]\n",
    "https://api.pager.example@evil.example",
  ],
  [
    "a variable",
    'servers: [{ url: "https://{host}", variables: { host: { default: evil.example } } }]\n',
    "https://evil.example",
  ],
  ["a variable without a value", 'servers: [{ url: "https://{host}" }]\n', "https://{host}"],
])("a document that names %s is an error", (_what, servers, named) => {
  expect(errorsOf(withPager("security: [{", `${servers}security: [{`))).toEqual([
    `held-credential-origin pager#${named} openapi/pager.yaml:3: pager names the server ${named}, and spec/credentials.yaml pins its credential to https://api.pager.example`,
  ]);
});

test("a server of one operation counts too, and relative ones and the pinned one do not", () => {
  const own = "get: { operationId: listServices, servers: [{ url: https://evil.example }],";
  expect(errorsOf(withPager("get: { operationId: listServices,", own))).toHaveLength(1);
  expect(
    errorsOf(
      withPager(
        "security: [{",
        "servers: [{ url: /v2 }, { url: https://api.pager.example/v2 }]\nsecurity: [{",
      ),
    ),
  ).toEqual([]);
});

test.each([
  [
    "an unknown document",
    withFile("\npager:", "\npagr:"),
    /held-credential-unfit pagr .*"pagr", which does not exist/,
  ],
  [
    "an unknown scheme",
    withFile("{ key: { file: pager-key", "{ kex: { file: pager-key"),
    /has no security scheme "kex"/,
  ],
  [
    "an unknown operation",
    withFile("GET /services:", "GET /service:"),
    /pager has no operation "GET \/service"/,
  ],
  [
    "a read as a write",
    withFile("writes: { POST /services", "writes: { GET /services"),
    /"GET \/services" does not write/,
  ],
  [
    "a scheme that the server cannot send",
    withPager("type: apiKey, in: header, name: Authorization", "type: http, scheme: digest"),
    /cannot send the credential "key"/,
  ],
  [
    "a header of the gateway",
    withPager("name: Authorization", "name: X-Gateway-Proof"),
    /cannot send the credential "key"/,
  ],
  [
    "a header of the connection",
    withPager("name: Authorization", "name: Host"),
    /cannot send the credential "key"/,
  ],
  [
    "a part of what an operation takes",
    withPager("security: [{ key: [] }]", "security: [{ key: [], other: [] }]"),
    /together with "other"/,
  ],
  [
    "an operation that the vendor has moved",
    withPager("  /services/{id}:", "  /secrets/{id}:"),
    /pager has no operation "GET \/services\/\{id\}"/,
  ],
  [
    "an argument in the place of the credential",
    {
      "openapi/maps.yaml": edited(
        spec["openapi/maps.yaml"] ?? "",
        "{ name: q, in: query",
        "{ name: API-Key, in: query, schema: {} }\n        - { name: q, in: query",
      ),
      "schema.graphql": edited(
        spec["schema.graphql"] ?? "",
        "places(q: String,",
        'places(k: String @restName(name: "API-Key"), q: String,',
      ),
    },
    /feeds the query parameter "API-Key", in which the server sends its credential/,
  ],
])("%s is an error", (_what, changes, message) => {
  expect(errorsOf(changes).join("\n")).toMatch(message);
});

test.each([
  [
    "an unsupported member",
    withFile(
      "  origin: https://api.pager.example",
      "  origin: https://api.pager.example\n  tenantParameters: {}",
    ),
    /"tenantParameters" is not supported: a document has origin, schemes, everyTenantMay and writes \(line 4\)/,
  ],
  [
    "client credentials without a file",
    withFile("{ file: pager-key }", "{ oauth2ClientCredentials: { tokenUrl: https://a.example/token } }"),
    /needs either file .* or filePerTenant/,
  ],
  [
    "a token URL without TLS",
    withFile("{ file: pager-key }", "{ file: a, oauth2ClientCredentials: { tokenUrl: http://a.example } }"),
    /tokenUrl must be an https:\/\/ URL/,
  ],
  [
    "another grant's members",
    withFile(
      "{ file: pager-key }",
      "{ file: a, oauth2ClientCredentials: { tokenUrl: https://a.example, password: b, authentication: none } }",
    ),
    /"password" is not supported.*\n.*authentication must be basic or post/,
  ],
  [
    "both kinds",
    withFile("{ file: pager-key }", "{ file: a, filePerTenant: b }"),
    /needs either file .* or filePerTenant/,
  ],
  ["neither kind", withFile("{ file: pager-key }", "{}"), /key must be a map with file or filePerTenant/],
  [
    "a path",
    withFile("file: pager-key", "file: ../pager-key"),
    /file must be a name in CREDENTIALS_DIRECTORY/,
  ],
  [
    "an absolute path",
    withFile("filePerTenant: tracker", "filePerTenant: /etc"),
    /filePerTenant must be a name in/,
  ],
  [
    "a path instead of an origin",
    withFile("origin: https://api.pager.example", "origin: https://api.pager.example/"),
    /origin must be the origin/,
  ],
  [
    "an origin without TLS",
    withFile("origin: https://api.pager.example", "origin: http://api.pager.example"),
    /origin must be the origin/,
  ],
  [
    "no reason",
    withFile("GET /services: our own services, on the public status page", "GET /services: <why>"),
    /"GET \/services" needs a reason/,
  ],
  [
    "an operationId",
    withFile("GET /services: our", "listServices: our"),
    /"listServices" must be a method and a path/,
  ],
  ["a list", { "credentials.yaml": "- pager" }, /the file must be a map of documents' names/],
  ["one key twice", { "credentials.yaml": `${credentials}mail: {}` }, /the key "mail" appears twice/],
])("a file with %s is refused", (_what, changes, message) => {
  expect(errorsOf(changes).join("\n")).toMatch(message);
});

const withToken = (flow: string) => ({
  "credentials.yaml": edited(
    credentials,
    "{ filePerTenant: tracker }",
    "{ filePerTenant: tracker, oauth2ClientCredentials: { tokenUrl: https://login.example/token } }",
  ),
  "openapi/tracker.yaml": edited(
    spec["openapi/tracker.yaml"] ?? "",
    "{ type: http, scheme: bearer }",
    `{ type: oauth2, flows: { clientCredentials: { tokenUrl: "${flow}", scopes: {} } } }`,
  ),
});

test("the document's token endpoint has to be at the pinned origin", () => {
  expect(errorsOf(withToken("https://login.example/v2/token"))).toEqual([]);
  expect(errorsOf(withToken("/token"))).toEqual([]);
  expect(errorsOf(withToken("https://login.evil.example/token"))).toEqual([
    "held-credential-origin tracker#https://login.evil.example/token openapi/tracker.yaml:4: tracker names the token endpoint https://login.evil.example/token, and spec/credentials.yaml pins it to https://login.example",
  ]);
});

test("an API key is not a token", () => {
  const changes = withFile(
    "{ file: pager-key }",
    "{ file: pager-key, oauth2ClientCredentials: { tokenUrl: https://login.example/token } }",
  );
  expect(errorsOf(changes).join()).toMatch(/held-credential-unfit .*"key" of pager takes no access token/);
});

test("a single document has to be named first", () => {
  const { "openapi/pager.yaml": pager = "" } = spec;
  const files = {
    "openapi.yaml": pager,
    "schema.graphql": 'type Query { services: [S!] @rest(operation: "listServices") }\ntype S { id: ID! }',
    "credentials.yaml": "pager: { origin: https://p.example, schemes: { key: { file: k } } }",
  };
  const [error] = new Project(textFiles(new Map(Object.entries(files)))).diagnostics.filter(
    ({ rule }) => rule === "held-credential-unfit",
  );
  expect(error?.hint).toMatch(/^move spec\/openapi\.yaml to spec\/openapi\/pager\.yaml/);
});
