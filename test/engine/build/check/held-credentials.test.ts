/** `spec/credentials.yaml` against the documents and the fields. */

import { describe, expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { formatGithub } from "../../../../src/engine/build/check/format/github.ts";
import { formatGitlab } from "../../../../src/engine/build/check/format/gitlab.ts";
import { formatMarkdown } from "../../../../src/engine/build/check/format/markdown.ts";
import { formatText } from "../../../../src/engine/build/check/format/text.ts";
import { emitSchema } from "../../../../src/engine/build/codegen/emit-schema.ts";
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
    "a member that no error has",
    withFile("pager:\n", "pager:\n  errors: [detial]\n"),
    /held-credential-unfit pager#errors .*no error of pager declares the member "detial"; did you mean "detail"/,
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
      "  origin: https://api.pager.example\n  otherParameters: {}",
    ),
    /"otherParameters" is not supported: a document has origin, schemes, everyTenantMay, tenantParameters, writes, permissions, errors, rateLimit and headers \(line 4\)/,
  ],
  ...[
    "900",
    "{ requests: 900 }",
    "{ requests: 0, seconds: 60 }",
    "{ requests: 1, seconds: 0.5 }",
    "{ requests: 1, seconds: 60, burst: 2 }",
    "{ requests: 1, seconds: 86401 }",
  ].map((limit): [string, Record<string, string>, RegExp] => [
    `the rate limit ${limit}`,
    withFile(
      "  origin: https://api.pager.example",
      `  origin: https://api.pager.example\n  rateLimit: ${limit}`,
    ),
    /rateLimit must be the vendor's limit, such as \{ requests: 900, seconds: 60 \}.*\(line 4\)/s,
  ]),
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

describe("one typo is one finding", () => {
  const many = edited(
    credentials,
    "pager:\n",
    "pager:\n  permissions: { GET /services: pager:read }\n  errors: [detail]\n",
  );
  const ofTenant = {
    "openapi/pager.yaml": `${spec["openapi/pager.yaml"]}
  /accounts/{account}/services:
    get: { operationId: listOwn, parameters: [{ name: account, in: path, required: true, schema: { type: string } }], responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } } } } } } } }
`,
    "schema.graphql": edited(
      spec["schema.graphql"] ?? "",
      "type Query {\n",
      'type Query {\n  own: [Service!] @rest(operation: "listOwn")\n',
    ),
    "credentials.yaml": edited(
      many,
      "pager:\n",
      "pager:\n  tenantParameters:\n    GET /accounts/{account}/services: { path: account }\n",
    ),
  };
  const withTypo = (was: string, is: string) =>
    errorsOf({ ...ofTenant, "credentials.yaml": edited(ofTenant["credentials.yaml"], was, is) });

  test("and without a typo there is none", () => expect(errorsOf(ofTenant)).toEqual([]));

  test.each([
    ["a document", "\npager:", "\npagr:", 'did you mean "pager"'],
    ["a member", "origin: https://api.pager", "orign: https://api.pager", '"orign" is not supported'],
    ["another member", "schemes: { key: { file: pager", "scheme: { key: { file: pager", '"scheme" is not'],
    ["a member of a scheme", "{ file: pager-key", "{ fil: pager-key", '"fil" is not supported'],
    ["a scheme", "{ key: { file: pager", "{ kye: { file: pager", 'did you mean "key"'],
    ["an operation for every tenant", "GET /services: our", "GET /service: our", 'mean "GET /services"'],
    ["a write", "writes: { POST /services:", "writes: { POST /service:", 'mean "POST /services"'],
    ["an operation with a permission", "{ GET /services: p", "{ GET /srvices: p", 'mean "GET /services"'],
    ["an operation of one tenant", "GET /accounts/", "GET /acounts/", 'mean "GET /accounts/{account}/'],
    ["a tenant's parameter", "{ path: account }", "{ path: acount }", 'did you mean "account"'],
    [
      "a token's member",
      "{ file: pager-key }",
      "{ file: a, oauth2ClientCredentials: { tokenURL: x } }",
      '"tokenURL" is not supported',
    ],
  ])("%s", (_what, was, is, named) => {
    expect(withTypo(was, is)).toEqual([expect.stringContaining(named)]);
  });

  test("a scheme that the server cannot send is one finding too", () => {
    const digest = edited(
      ofTenant["openapi/pager.yaml"],
      "type: apiKey, in: header, name: Authorization",
      "type: http, scheme: digest",
    );
    expect(errorsOf({ ...ofTenant, "openapi/pager.yaml": digest })).toHaveLength(1);
  });

  test("a name that the file has beside the misspelt one keeps its own entry", () => {
    const extra = "GET /service: a typo\n    GET /services: our";
    expect(withTypo("GET /services: our", extra)).toHaveLength(1);
  });
});

const withPermission = (line: string) => withFile("pager:\n", `pager:\n  permissions: { ${line} }\n`);

test("a permission is part of the operation, and explain and the schema of clients show it", () => {
  const read = project(withPermission("GET /services: pager:read"));
  if (!isValid(read)) throw new Error("not valid");
  expect(read.model.calledOperations.get("GET pager/services")?.held?.permission).toBe("pager:read");
  expect(read.model.calledOperations.get("GET pager/services/{id}")?.held).not.toHaveProperty("permission");
  expect(explain(read.model, [], "Query.services").join("\n")).toContain(
    "one for all tenants (pager-key); for callers with the permission pager:read",
  );
  expect(emitSchema(read.model)).toContain("Needs the permission `pager:read`.");
});

test.each([
  ["an operation that does not exist", "GET /service: a", /pager has no operation "GET \/service"; did you/],
  ["an operationId", "listServices: a", /"listServices" must be a method and a path/],
  ["two names", 'GET /services: "a b"', /"GET \/services" needs the name of one permission/],
  ["names with a comma", 'GET /services: "a,b"', /needs the name of one permission/],
  ["a list", "GET /services: [a]", /needs the name of one permission/],
  ["no name", "GET /services: ", /needs the name of one permission/],
])("a permission for %s is an error", (_what, line, message) => {
  expect(errorsOf(withPermission(line)).join("\n")).toMatch(message);
});

test("a permission for an operation that carries the caller's credential is an error", () => {
  const changes = {
    "openapi/pager.yaml": edited(
      spec["openapi/pager.yaml"] ?? "",
      "operationId: listServices,",
      "operationId: listServices, security: [],",
    ),
    ...withPermission("GET /services: pager:read"),
  };
  expect(errorsOf(changes).join("\n")).toMatch(
    /"GET \/services" is not called with a credential of the server/,
  );
});

describe("check --base", () => {
  const changesOf = (was: Record<string, string>, is: Record<string, string>): string[] => {
    const base = project(was);
    const head = project(is);
    if (!isValid(base)) throw new Error("not valid");
    return examine(head, base, "2026-01-01").findings.flatMap(({ stage, rule, message, change }) =>
      stage === "changes" ? [`${change} ${rule} ${message}`] : [],
    );
  };
  const shared =
    "the server's, in the header as authorization, to https://api.pager.example only; one for all tenants (pager-key)";

  test.each([
    [
      "another file",
      withFile("file: pager-key", "file: new-key"),
      [
        `dangerous credential-owner-changed GET pager/services carries this credential now: ${shared.replace("pager-key", "new-key")}; it was: ${shared}`,
      ],
    ],
    [
      "another origin",
      withFile("https://api.pager.example", "https://pager.example"),
      [
        `dangerous credential-owner-changed GET pager/services carries this credential now: ${shared.replace("api.pager", "pager")}; it was: ${shared}`,
      ],
    ],
    [
      "a permission",
      withPermission("GET /services: pager:read"),
      [
        `dangerous credential-owner-changed GET pager/services carries this credential now: ${shared}; for callers with the permission pager:read; it was: ${shared}`,
      ],
    ],
    [
      "members of errors",
      withFile("pager:\n", "pager:\n  errors: [detail, title]\n"),
      ["dangerous rest-error-changed POST pager/services tells clients detail, title now, it was nothing"],
    ],
    [
      "a fixed header",
      withFile("pager:\n", 'pager:\n  headers: { X-Version: "2" }\n'),
      [
        "dangerous fixed-header-changed GET pager/services carries the fixed headers x-version: 2 now, they were (none)",
      ],
    ],
  ])("reports %s once", (_what, changes, findings) => {
    expect(changesOf({}, changes)).toEqual(findings);
  });

  const withoutMaps = withFile(
    credentials.slice(credentials.indexOf("\nmaps:"), credentials.indexOf("\nmail:")),
    "",
  );

  test("reports a credential that the server holds no longer", () => {
    expect(changesOf({}, withoutMaps).join()).toContain(
      "credential-owner-changed GET maps/places carries this credential now: ",
    );
  });

  test("reports once that neither the server nor the caller has a credential any more", () => {
    const unsecured = edited(spec["openapi/maps.yaml"] ?? "", "security: [{ key: [] }]", "security: []");
    const files = { ...withoutMaps, "openapi/maps.yaml": unsecured };
    expect(changesOf({}, files)).toEqual([
      expect.stringMatching(/credential-owner-changed GET maps\/places .*; it was: the server's/),
    ]);
  });
});

test("Markdown, GitHub and GitLab list whose credential each operation carries", () => {
  const changes = withFile("pager:\n", 'pager:\n  headers: { X-Version: "::error::2|" }\n');
  const report = examine(project(changes), undefined, "2026-01-01");
  expect(formatMarkdown(report)).toMatch(
    /### Credentials of REST operations\n\n\| REST operation .*\n.*\n\| `GET pager\/services` \| the server's, in the header as authorization, .* \| `x-version: ::error::2\\\|` \|/,
  );
  expect(formatGithub(report)).toMatch(
    /^::group::Credentials of REST operations\n {2}GET pager\/services +the server's.*\n(?: {2}.*\n)+::endgroup::$/m,
  );
  const entries = JSON.parse(formatGitlab(report)) as {
    readonly description: string;
    readonly severity: string;
  }[];
  expect(entries.map(({ description, severity }) => `${severity} ${description}`)).toContainEqual(
    expect.stringMatching(/^info GET tracker\/issues: the server's, .*; one per tenant \(tracker\/\)$/),
  );
  expect(entries.some(({ description }) => description.includes("own/notes"))).toBe(false);
});

const versioned = (parameter: string, headers: string) => ({
  "openapi/own.yaml": edited(
    spec["openapi/own.yaml"] ?? "",
    "operationId: listNotes,",
    `operationId: listNotes, parameters: [${parameter}],`,
  ),
  "credentials.yaml": `${credentials}own: { headers: { ${headers} } }\n`,
});
const version =
  "{ name: X-Api-Version, in: header, required: true, schema: { type: string, enum: [v1, v2] } }";

test("a fixed header feeds the parameter that the document declares, also without a held credential", () => {
  const changes = versioned(version, "x-api-version: v2, User-Agent: shop/1 (ops@shop.example)");
  expect(errorsOf(changes)).toEqual([]);
  const read = project(changes);
  if (!isValid(read)) throw new Error("not valid");
  expect(read.model.calledOperations.get("GET own/notes")).toMatchObject({
    headers: { "x-api-version": "v2", "user-agent": "shop/1 (ops@shop.example)" },
    credentials: [["x-own-key"]],
  });
  expect(read.model.calledOperations.get("GET pager/services")).not.toHaveProperty("headers");
  expect(explain(read.model, [], "Query.notes")).toEqual(
    expect.arrayContaining([
      '  header user-agent: constant "shop/1 (ops@shop.example)" of spec/credentials.yaml',
      '  header X-Api-Version: constant "v2" of spec/credentials.yaml, required',
    ]),
  );
  const report = examine(read, undefined, "2026-01-01");
  expect(report.credentials).toContainEqual({
    operation: "GET own/notes",
    of: "caller",
    credentials: ["the caller's, from x-own-key"],
    headers: { "x-api-version": "v2", "user-agent": "shop/1 (ops@shop.example)" },
  });
  expect(report.credentials?.map(({ of }) => of)).toEqual(
    expect.arrayContaining(["server", "tenant", "caller"]),
  );
  expect(formatText(report)).toMatch(
    /GET own\/notes +the caller's, from x-own-key; x-api-version: v2; user-agent: shop/,
  );
  const { credentials: _, ...files } = { ...spec, credentials: "" };
  const plain = new Project(textFiles(new Map(Object.entries(files))));
  expect(examine(plain, undefined, "2026-01-01")).not.toHaveProperty("credentials");
});

test("a fixed header of digits fits an integer", () => {
  const integer = version.replace("type: string, enum: [v1, v2]", "type: integer, minimum: 2");
  expect(errorsOf(versioned(integer, 'X-Api-Version: "2"'))).toEqual([]);
  expect(errorsOf(versioned(integer, 'X-Api-Version: "1"'))).toHaveLength(1);
});

test.each([
  [
    "that the document's enum does not have",
    versioned(version, "X-Api-Version: v3"),
    /constant-invalid Query\.notes .*constant "v3" for header "X-Api-Version" is not one of its values/,
  ],
  [
    "that the document's pattern refuses",
    versioned(version.replace("enum: [v1, v2]", "pattern: ^v"), 'X-Api-Version: "3"'),
    /constant-invalid Query\.notes .*"3"/,
  ],
  [
    "that an argument feeds too",
    {
      ...versioned(version, "X-Api-Version: v2"),
      "schema.graphql": edited(
        spec["schema.graphql"] ?? "",
        "notes:",
        'notes(v: String @restName(name: "X-Api-Version")):',
      ),
    },
    /parameter-fed-twice Query\.notes\(v:\) .*two sources feed header "X-Api-Version"/,
  ],
  [
    "that an argument feeds in another spelling",
    {
      ...versioned("{ name: X_Api.Version, in: header, schema: { type: string } }", "X-Api-Version: v2"),
      "schema.graphql": edited(
        spec["schema.graphql"] ?? "",
        "notes:",
        'notes(v: String @restName(name: "X_Api.Version")):',
      ),
    },
    /fixed-header Query\.notes .*feeds the header "X_Api\.Version", which spec\/credentials\.yaml fixes/,
  ],
  [
    "in which the API takes a credential",
    {
      ...versioned(version, "X-Api-Version: v2, X-Own.Client: c"),
      "openapi/own.yaml": (spec["openapi/own.yaml"] ?? "").replace("X-Own-Key", "X-Own-Client"),
    },
    /fixed-header own#headers#x-own\.client .*fixes the header "x-own\.client" of own, in which "key" sends/,
  ],
  ["of no name", versioned(version, '"X Y": v2'), /"X Y" is not the name of a header/],
  ["of an object's member", versioned(version, "__proto__: v2"), /is not the name of a header/],
  ["twice", versioned(version, "X-A: a, x_a: b"), /the header "x_a" is fixed twice/],
  ["with a number", versioned(version, "X-A: 2"), /must be a text of visible ASCII .* in quotes/],
  ["with a line break", versioned(version, 'X-A: "a\\r\\nHost: b"'), /must be a text of visible ASCII/],
  ["with a space at the end", versioned(version, 'X-A: "a "'), /must be a text of visible ASCII/],
  ["of no value", versioned(version, 'X-A: ""'), /must be a text of visible ASCII/],
])("a fixed header %s is an error", (_what, changes, message) => {
  expect(errorsOf(changes).join("\n")).toMatch(message);
});

test.each([
  ["Host", /cannot be fixed: it belongs to the connection/],
  ["Transfer_Encoding", /cannot be fixed/],
  ["TE", /cannot be fixed/],
  ["X-Request-Id", /cannot be fixed/],
  ["X-Service-Tenant-Id", /cannot be fixed/],
  ["X-Gateway-Proof", /cannot be fixed/],
  ["Accept", /cannot be fixed/],
  ["Content-Type", /cannot be fixed/],
  ["If-None-Match", /cannot be fixed/],
  ["Range", /cannot be fixed/],
  ["X-Forwarded-For", /cannot be fixed/],
  ["Cookie", /cannot be fixed/],
  ["Authorization", /looks like a credential/],
  ["X-API-Key", /looks like a credential/],
  ["Api_Key", /looks like a credential/],
  ["PRIVATE-TOKEN", /looks like a credential/],
  ["X-Auth", /looks like a credential/],
  ["apikey", /looks like a credential/],
])("the header %s is never fixed", (name, message) => {
  expect(errorsOf(versioned(version, `${name}: v2`)).join("\n")).toMatch(message);
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
  expect(errorsOf(changes).join()).toMatch(
    /held-credential-unfit .*"key" of pager does not accept access tokens/,
  );
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
