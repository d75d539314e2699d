/** `restbound init` in an empty folder: a project that runs at once. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { run as check } from "../../../../src/engine/build/check/check-command.ts";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { listens, startProgram } from "../../../support/child-process.ts";
import { emptyProject } from "../../../support/project.ts";
import { startBlog } from "../../another-api/blog.ts";
import { ran, silent } from "../check/run.ts";

const blogDocument = join(import.meta.dirname, "../../another-api/spec/openapi.yaml");

function opened() {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  return project;
}

/** What `npm init` writes by itself. */
const ofNpm = { type: "commonjs", scripts: { test: 'echo "Error: no test specified" && exit 1' } };

test("an empty folder becomes a project that passes check, serves, and has its own types and tests", {
  timeout: 900_000, // eight processes, one after the other
}, async () => {
  const project = opened();
  writeFileSync(join(project.root, ".gitignore"), "mine\n");
  const given = {
    name: "mine",
    main: "index.js",
    scripts: { check: "mine", ...ofNpm.scripts },
    type: ofNpm.type,
  };
  writeFileSync(join(project.root, "package.json"), JSON.stringify(given));
  const done = await project.restbound("init", "--openapi", blogDocument);
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(/spec\/schema\.graphql has \d+ fields/);
  expect(done.stdout).not.toContain("check it:");
  expect(parse(project.read(".github/workflows/check.yml")).jobs.check).not.toHaveProperty("defaults");
  expect((await ran(project.root, [])).out).toContain("findings: 0 ");

  // what was there stays
  expect(project.read(".gitignore")).toBe("mine\n");
  const { name, scripts, dependencies } = JSON.parse(project.read("package.json"));
  expect({ name, ...scripts, ...dependencies }).toMatchObject({
    name: "mine",
    check: "mine",
    start: "exec restbound start",
    restbound: expect.any(String),
  });

  const blog = await startBlog();
  onTestFinished(blog.close);
  const program = startProgram([project.main], { REST_BASE_URL: blog.url.href });
  onTestFinished(() => program.stop());
  const url = await listens(program);
  blog.calls.length = 0; // the start asked whether it is there
  const headers = { "content-type": "application/json", "x-api-key": "blog-key" };
  const body = JSON.stringify({ query: "{ posts(perPage: 2) { id title } }" });
  const reply = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body });
  expect(await reply.json()).toEqual({
    data: {
      posts: [
        { id: "p0", title: "Post 0" },
        { id: "p1", title: "Post 1" },
      ],
    },
  });
  expect(blog.calls).toEqual(["GET /api/posts?per_page=2 blog-key"]);
  const page = await fetch(new URL("/v1/graphql", url), { headers: { accept: "text/html" } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('"operations":[]')]);

  const typeErrors = () => project.typeErrors(["generated", "src", "test"]);
  expect(typeErrors()).toBe("");
  expect(await project.script("test")).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\n/) });
  project.edit("generated/resolvers.ts", (text) => text.replace('rest.get("/posts"', 'rest.get("/post"'));
  expect(typeErrors()).toMatch(/generated\/resolvers\.ts/);
  expect(await ran(project.root, ["--openapi", blogDocument], init)).toMatchObject({
    code: 2,
    error: "spec/ already has files; to add a document to those in spec/openapi/, use --name",
  });
});

test.each([
  ["gone.yaml", "", 2, "--openapi gone.yaml: the file does not exist"],
  ["other.json", "{}", 3, "other.json:1:1: is not an OpenAPI 3.0, 3.1 or 3.2 document"],
  [
    "new.yaml",
    "openapi: 3.3.0\n",
    3,
    "new.yaml:1:1: is OpenAPI 3.3.0, but 3.0, 3.1 or 3.2 is required: if it uses nothing newer, set openapi to 3.2.0 in an overlay",
  ],
  [
    "mine.yaml",
    "openapi: 3.1.0\npaths: {\n",
    3,
    "mine.yaml:3:1: Flow map in block collection must be sufficiently indented and end with a }",
  ],
])("%s is refused by its own name, and nothing is written", async (name, text, code, error) => {
  const { root } = opened();
  if (text) writeFileSync(join(root, name), text);
  const before = readdirSync(root);
  expect(await ran(root, ["--openapi", name], init)).toMatchObject({ code, error });
  expect(readdirSync(root)).toEqual(before);
});

test("a project of CommonJS modules is refused, and nothing is written", async () => {
  const project = opened();
  const given = JSON.stringify({ type: "commonjs", scripts: { test: "mocha" } });
  writeFileSync(join(project.root, "package.json"), given);
  const refused = await ran(project.root, ["--openapi", blogDocument], init);
  expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('set it to "module"') });
  expect([project.read("package.json"), readdirSync(project.root)]).toEqual([
    given,
    expect.not.arrayContaining(["spec"]),
  ]);
});

test("a missing document is reported before npm installs anything", async () => {
  const root = mkdtempSync(join(tmpdir(), "init-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const given of ["gone.yaml", "http://127.0.0.1:1/gone.yaml"])
    expect(await ran(root, ["--openapi", given], init)).toMatchObject({
      code: 2,
      error: expect.stringContaining(`--openapi ${given}: `),
    });
  expect(readdirSync(root)).toEqual([]);
});

test("a terminal shows what init, codegen and check are at, and nothing of that is left at their ends", async () => {
  const { root } = opened();
  for (const [command, argv, steps] of [
    [
      init,
      ["--openapi", blogDocument],
      [
        "restbound init: reads the document",
        "restbound init: creates a field for each operation, and proves it",
        "restbound init: generates the code",
      ],
    ],
    [codegen, [], ["restbound codegen: generates from spec/"]],
    [check, [], ["restbound check: proves spec/", "restbound check: generates, and compares generated/"]],
  ] as const) {
    const shown: string[] = [];
    const io = { ...silent, root, progress: (text: string) => void shown.push(text) };
    expect(await command(argv, io)).toBe(0);
    expect(shown.filter(Boolean)).toEqual(steps);
    expect(shown.at(-1)).toBe("");
  }
});

test("a Swagger 2.0 document becomes OpenAPI 3.0; what takes an upload has no field", async () => {
  const project = opened();
  const thing = { $ref: "#/definitions/Thing" };
  const responses = { 200: { description: "d", schema: thing } };
  const file = { name: "file", in: "formData", type: "file" };
  const upload = { operationId: "upload", consumes: ["multipart/form-data"], parameters: [file], responses };
  const document = {
    swagger: "2.0",
    info: { title: "t", version: "1" },
    ...{ host: "api.example.com", basePath: "/v2", schemes: ["https"], produces: ["application/json"] },
    paths: { "/thing": { get: { operationId: "getThing", responses }, post: upload } },
    definitions: { Thing: { type: "object", properties: { id: { type: "string" } } } },
    security: [{ key: [] }],
    securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  };
  writeFileSync(join(project.root, "swagger.json"), JSON.stringify(document));
  const { code, out } = await ran(project.root, ["--openapi", "swagger.json"], init);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/left out: upload: it takes a body of multipart\/form-data/),
  ]);
  expect(project.read("spec/openapi.yaml")).toMatch(/^openapi: 3\.0\.\d\n/);
  expect(project.read("src/main.ts")).toContain('"https://api.example.com/v2"');
  expect(project.read("generated/operations.ts")).toMatch(/x-key/i);
  expect((await ran(project.root, [])).out).toContain("findings: 0 ");
});

test("a list of Swagger 2.0 in a format that OpenAPI 3.0 has no style for is left out, and never sent in another", async () => {
  const project = opened();
  const list = (name: string, location: string, collectionFormat?: string) => ({
    ...{ name, in: location, type: "array", items: { type: "string" } },
    ...(collectionFormat && { collectionFormat }),
  });
  const responses = {
    200: { description: "d", schema: { type: "object", properties: { id: { type: "string" } } } },
  };
  const query = ["csv", "ssv", "pipes", "multi", "tsv"].map((format) => list(format, "query", format));
  const form = [list("usual", "formData"), ...query.map(({ name }) => list(name, "formData", name))];
  const consumes = (type: string) => ({
    consumes: [type],
    responses,
    parameters: [{ name: "a", in: "formData", type: "string" }, ...form],
  });
  const document = {
    swagger: "2.0",
    info: { title: "t", version: "1" },
    ...{ host: "api.example.com", schemes: ["https"], produces: ["application/json"], security: [] },
    paths: {
      "/things": {
        parameters: [
          { $ref: "#/parameters/shared" },
          list("trace", "header", "pipes"),
          list("plain", "header"),
        ],
        get: { operationId: "getThings", parameters: query, responses },
        post: { operationId: "addThing", ...consumes("application/x-www-form-urlencoded") },
        put: { operationId: "setThing", ...consumes("multipart/form-data") },
      },
    },
    parameters: { shared: list("shared", "query", "tsv") },
  };
  writeFileSync(join(project.root, "swagger.json"), JSON.stringify(document));
  expect((await ran(project.root, ["--openapi", "swagger.json"], init)).code).toBe(0);
  const left = project
    .read("spec/schema.graphql")
    .matchAll(/# Without (.*), an array in a media type of its own, which|@rest\(operation: "(\w+)"/g);
  const shared = ['query "shared"', 'header "trace"'];
  expect([...left].map(([, part, operation]) => part ?? operation)).toEqual([
    ...shared,
    'query "tsv"',
    "getThings",
    ...shared,
    ...["usual", "csv", "ssv", "pipes", "tsv"].map((name) => `body "${name}"`),
    "setThing",
    ...shared,
    'body "tsv"',
    "addThing",
  ]);
  const operations = project.read("generated/operations.ts");
  for (const location of ["query", "body"])
    for (const [format, style, explode] of [
      ["csv", "form", false],
      ["ssv", "spaceDelimited", false],
      ["pipes", "pipeDelimited", false],
      ["multi", "form", true],
    ])
      expect(operations).toContain(`"${location}:${format}": { style: "${style}", explode: ${explode} }`);
  expect(operations).toContain('"body:usual": { style: "form", explode: false }');
});

/** Sixty-one operations with two tags, some of which no field can show. */
function largeDocument(copy: ReturnType<typeof opened>): string {
  const json = (schema: object) => ({
    200: { description: "ok", content: { "application/json": { schema } } },
  });
  const page = { type: "object", properties: { id: { type: "string" } } };
  const paths = Object.fromEntries(
    Array.from({ length: 58 }, (_, index) => [
      `/a${index}`,
      {
        get: {
          operationId: `a${index}`,
          tags: ["a"],
          responses: json({ $ref: "#/components/schemas/Page" }),
        },
      },
    ]),
  );
  const more = {
    "/b": { get: { tags: ["b"], responses: json({ $ref: "#/components/schemas/Page" }) } },
    "/picture": {
      get: {
        operationId: "picture",
        tags: ["b"],
        responses: { 200: { description: "ok", content: { "image/png": {} } } },
      },
    },
    "/broken": {
      get: { operationId: "broken", tags: ["b"], responses: json({ $ref: "#/definitions/Nowhere" }) },
    },
  };
  const info = { title: "t", version: "1" };
  const schemas = { Page: page };
  const document = {
    openapi: "3.1.0",
    info,
    security: [],
    paths: { ...paths, ...more },
    components: { schemas },
  };
  mkdirSync(join(copy.root, "vendor"));
  writeFileSync(join(copy.root, "vendor/api.json"), JSON.stringify(document));
  return "vendor/api.json";
}

test("some operations of a large document are chosen; the ledger lists the others, with the reason", {
  timeout: 120_000,
}, async () => {
  const copy = opened();
  const openapi = largeDocument(copy);
  const started = (...chosen: string[]) => ran(copy.root, ["--openapi", openapi, ...chosen], init);
  const all = await started();
  expect(all).toMatchObject({ code: 2 });
  expect(all.error).toMatch(
    /has 61 operations: choose some .*\n {4}58 {2}--tag a\n {5}3 {2}--tag b\n {4}61 {2}--operation '\/\*'$/,
  );
  expect((await started("--tag", "c")).error).toMatch(/no such tag/);

  const unread = await started("--operation", "pic*", "/brok*");
  expect(unread.code).toBe(2);
  expect(unread.error).toMatch(
    /^choose an operation that reads: .*\nleft out: picture: it documents no JSON .*\nleft out: broken: .*cannot be resolved/,
  );
  expect(await started("--operation", "GET /c*")).toMatchObject({
    code: 2,
    error: "--operation GET /c*: there is no such operation\n  --operation /b",
  });

  const done = await started("--tag", "b", "--operation", "a7");
  expect(done).toMatchObject({ code: 0, error: "" });
  expect(copy.read("spec/schema.graphql").match(/@rest\(operation: "[^"]*"\)/g)).toEqual([
    '@rest(operation: "a7")',
    '@rest(operation: "GET /b")',
  ]);
  expect(copy.read("spec/schema.graphql").match(/^type \w+/gm)).toEqual(["type Query", "type Page"]);
  const ledger = copy.read("spec/rest-only.yaml");
  expect(ledger).toMatch(/^picture: it documents no JSON or text response/m);
  expect(ledger).toMatch(/^broken: .*cannot be resolved/m);
  expect(ledger).toMatch(/^a8: not chosen/m);
  expect(ledger).not.toMatch(/^(?:a7|GET \/b|tag:.*):/m);
  expect(ledger).toMatch(/^# .*A key may be a pattern: tag:billing/m);
  expect(done.out).toMatch(/^left out: broken: .*\nfix it: .* spec\/overlay\.yaml/m);
  expect(done.out).toContain("npm run dev");
  const { out } = await ran(copy.root, []);
  expect(out.match(/^(?:error|warning) .*$/gm)).toEqual([expect.stringMatching(/document-faulty$/)]);
});

test.each([
  ["{}", "the document has no operations"],
  ["{ /a: { put: { responses: { 204: { description: done } } } } }", "has no operation that reads"],
  ["{ /a: { post: { responses: { 204: { description: done } } } } }", "choose an operation that reads"],
])("a document with the paths %s has nothing for Query", async (paths, reason) => {
  const { root } = opened();
  const file = join(root, "given.yaml");
  writeFileSync(file, `openapi: 3.1.0\ninfo: { title: t, version: "1" }\npaths: ${paths}\n`);
  const { code, error } = await ran(root, ["--openapi", file], init);
  expect(code).toBe(2);
  expect(error).toContain(reason);
});

test("a large document without tags is chosen from by its paths", async () => {
  const copy = opened();
  const openapi = largeDocument(copy);
  copy.edit(openapi, (text) => {
    const { paths, ...others } = JSON.parse(text, (key, value) => (key === "tags" ? undefined : value));
    const steps = Object.entries(paths).map(([path, item]) => [
      `/v1${path.replace(/^\/(a5)?/, "/$1/")}`.replace("//", "/things/"),
      item,
    ]);
    return JSON.stringify({ ...others, paths: Object.fromEntries(steps) });
  });
  const { code, error } = await ran(copy.root, ["--openapi", openapi], init);
  expect(code).toBe(2);
  expect(error.split("\n")).toEqual([
    expect.stringMatching(/ and no tags: choose some /),
    "     9  --operation '/v1/a5*'",
    "    52  --operation '/v1/things*'",
    "    61  --operation '/*'",
  ]);
  const args = ["--openapi", openapi, "--operation", "/v1/a5*"];
  expect(await ran(copy.root, args, init)).toMatchObject({ code: 0, error: "" });
  expect(copy.read("spec/schema.graphql").match(/@rest/g)).toHaveLength(9);
});
