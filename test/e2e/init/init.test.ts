/** `npm run init`: a project on another document, which runs at once. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../src/engine/init/main.ts";
import { ran } from "../../check/run.ts";
import { runReady } from "../../process/program.ts";
import { startBlog } from "../another-api/blog.ts";
import { copyProject, type ProjectCopy } from "../project-copy.ts";

const blogDocument = join(import.meta.dirname, "../another-api/spec/openapi.yaml");

function copied(): ProjectCopy {
  const copy = copyProject();
  onTestFinished(() => copy.remove());
  return copy;
}

test("a project on a document of another API passes check, serves, and has types and tests of its own", {
  timeout: 900_000, // nine processes, one after the other
}, async () => {
  const copy = copied();
  const refused = await ran(copy.root, ["--openapi", blogDocument], init);
  expect(refused).toMatchObject({ code: 2, error: "spec/ has files: --replace removes them" });
  expect(copy.read("spec/openapi.yaml")).toContain("/v1/crm/contacts");

  const done = await copy.init("--openapi", blogDocument, "--replace");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(/spec\/schema\.graphql has \d+ fields/);
  expect((await ran(copy.root, [])).out).toContain("findings: 0 ");

  const blog = await startBlog();
  onTestFinished(blog.close);
  const { url } = await runReady(["graphql"], { REST_BASE_URL: blog.url.href }, [], copy.main);
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

  // its types and its tests are its own: those of the API that was here are left out
  expect(done.stdout).toContain("test it:   npm test;");
  const { scripts } = JSON.parse(copy.read("package.json"));
  expect([scripts.test, scripts.types]).toEqual([
    "vitest run --experimental.viteModuleRunner=false --project project",
    "tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo && tsc -p src/engine/graphql/explorer/browser",
  ]);
  mkdirSync(join(copy.root, "test/e2e"));
  writeFileSync(
    join(copy.root, "test/e2e/old.test.ts"),
    "const contact: number = 'of the API that was here';",
  );
  expect(await copy.script("types")).toMatchObject({ code: 0 });
  const tested = await copy.script("test");
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/3 passed/) });
  const started = await copy.script("start");
  expect([started.code, started.stderr]).toEqual([
    2,
    expect.stringMatching(
      /: the embedded platform serves its own API alone; set REST_BASE_URL and run npm start -- graphql/,
    ),
  ]);
  // a wrong resolver is found
  copy.edit("generated/resolvers.ts", (text) => text.replace('rest.get("/posts"', 'rest.get("/authors"'));
  expect((await copy.script("test")).code).not.toBe(0);
});

test.each([
  ["gone.yaml", "", 2, "--openapi gone.yaml: there is no such file"],
  ["package.json", "", 3, "package.json:1:1: is not an OpenAPI 3.0 or 3.1 document"],
  [
    "mine.yaml",
    "openapi: 3.1.0\npaths: {\n",
    3,
    "mine.yaml:3:1: Flow map in block collection must be sufficiently indented and end with a }",
  ],
])("%s is refused by its own name, and the project stays as it is", async (name, text, code, error) => {
  const copy = copied();
  if (text) writeFileSync(join(copy.root, name), text);
  for (const replace of [[], ["--replace"]])
    expect(await ran(copy.root, ["--openapi", name, ...replace], init)).toMatchObject({ code, error });
  expect(copy.read("spec/openapi.yaml")).toContain("/v1/crm/contacts");
});

/** Sixty-one operations with two tags, some of which no field can show. */
function largeDocument(copy: ProjectCopy): string {
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

test("of a large document some operations are chosen; the others stand in the ledger, with the reason", {
  timeout: 120_000,
}, async () => {
  const copy = copied();
  const openapi = largeDocument(copy);
  const replaced = (...chosen: string[]) =>
    ran(copy.root, ["--openapi", openapi, "--replace", ...chosen], init);
  const all = await replaced();
  expect(all).toMatchObject({ code: 2 });
  expect(all.error).toMatch(/has 61 operations: choose some .* a \(58\), b \(3\)/);
  expect((await replaced("--tag", "c")).error).toMatch(/no such tag/);

  const unread = await replaced("--operation", "pic*", "--operation", "/brok*");
  expect(unread.code).toBe(2);
  expect(unread.error).toMatch(
    /^choose an operation that reads: .*\nleft out: picture: it documents no answer .*\nleft out: broken: .*points at nothing/,
  );
  expect(await replaced("--operation", "GET /c*")).toMatchObject({
    code: 2,
    error: "--operation GET /c*: there is no such operation",
  });

  const done = await replaced("--tag", "b", "--operation", "a7");
  expect(done).toMatchObject({ code: 0, error: "" });
  expect(copy.read("spec/schema.graphql").match(/@rest\(operation: "[^"]*"\)/g)).toEqual([
    '@rest(operation: "a7")',
    '@rest(operation: "GET /b")',
  ]);
  expect(copy.read("spec/schema.graphql").match(/^type \w+/gm)).toEqual(["type Query", "type Page"]);
  const ledger = copy.read("spec/rest-only.yaml");
  expect(ledger).toMatch(/^picture: it documents no answer that is JSON or text/m);
  expect(ledger).toMatch(/^broken: .*points at nothing/m);
  expect(ledger).toMatch(/^a8: not chosen/m);
  expect(ledger).not.toMatch(/^(?:a7|GET \/b|tag:.*):/m);
  expect(ledger).toMatch(/^# .*A key may be a pattern: tag:billing/m);
  expect(done.out).toMatch(/^left out: broken: .*\nmend it: .* overlay\.yaml beside it/m);
  expect(done.out).toContain("npm run dev -- graphql");
  const { out } = await ran(copy.root, []);
  expect(out.match(/^(?:error|warning) .*$/gm)).toEqual([expect.stringMatching(/document-faulty$/)]);
});

test("a large document without tags is chosen from by its paths", async () => {
  const copy = copied();
  const openapi = largeDocument(copy);
  copy.edit(openapi, (text) => {
    const { paths, ...others } = JSON.parse(text, (key, value) => (key === "tags" ? undefined : value));
    const steps = Object.entries(paths).map(([path, item]) => [
      `/v1${path.replace(/^\/(a5)?/, "/$1/")}`.replace("//", "/things/"),
      item,
    ]);
    return JSON.stringify({ ...others, paths: Object.fromEntries(steps) });
  });
  const { code, error } = await ran(copy.root, ["--openapi", openapi, "--replace"], init);
  expect(code).toBe(2);
  expect(error).toMatch(/It has no tags; by path, for --operation: \/v1\/things\* \(52\), \/v1\/a5\* \(9\)$/);
  const args = ["--openapi", openapi, "--replace", "--operation", "/v1/a5*"];
  expect(await ran(copy.root, args, init)).toMatchObject({ code: 0, error: "" });
  expect(copy.read("spec/schema.graphql").match(/@rest/g)).toHaveLength(9);
});
