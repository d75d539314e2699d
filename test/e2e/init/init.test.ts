/** `npm run init`: a project on another document, which runs at once. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run, runReady } from "../../process/program.ts";
import { startBlog } from "../another-api/blog.ts";
import { copyProject, type Ended, type ProjectCopy } from "../project-copy.ts";

const blogDocument = join(import.meta.dirname, "../another-api/spec/openapi.yaml");

function copied(): ProjectCopy {
  const copy = copyProject();
  onTestFinished(() => copy.remove());
  return copy;
}

test("a project on a document of another API has a field for each operation, passes check, and serves", {
  timeout: 120_000,
}, async () => {
  const copy = copied();
  const refused = await copy.init("--openapi", blogDocument);
  expect(refused).toMatchObject({ code: 2, stderr: "spec/ has files: --replace removes them\n" });
  expect(copy.read("spec/openapi.yaml")).toContain("/v1/crm/contacts");

  const done = await copy.init("--openapi", blogDocument, "--replace");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(/spec\/schema\.graphql has \d+ fields/);
  expect((await copy.check()).stdout).toContain("findings: 0 ");

  const blog = await startBlog();
  onTestFinished(blog.close);
  const { url } = await runReady(["graphql"], { REST_BASE_URL: blog.url.href }, [], copy.main);
  const headers = { "content-type": "application/json", "x-api-key": "blog-key" };
  const body = JSON.stringify({ query: "{ posts(perPage: 2) { data { id title } } }" });
  const reply = await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body });
  expect(await reply.json()).toEqual({
    data: {
      posts: {
        data: [
          { id: "p0", title: "Post 0" },
          { id: "p1", title: "Post 1" },
        ],
      },
    },
  });
  expect(blog.calls).toEqual(["GET /api/posts?per_page=2 blog-key"]);
  const page = await fetch(new URL("/v1/graphql", url), { headers: { accept: "text/html" } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('"operations":[]')]);
});

test.each([
  ["gone.yaml", "", 2, "--openapi gone.yaml: there is no such file\n"],
  ["package.json", "", 3, "package.json:1:1: is not an OpenAPI 3.0 or 3.1 document\n"],
  [
    "mine.yaml",
    "openapi: 3.1.0\npaths: {\n",
    3,
    "mine.yaml:3:1: Flow map in block collection must be sufficiently indented and end with a }\n",
  ],
])("%s is refused by its own name, and the project stays as it is", async (name, text, code, stderr) => {
  const copy = copied();
  if (text) writeFileSync(join(copy.root, name), text);
  for (const replace of [[], ["--replace"]])
    expect(await copy.init("--openapi", name, ...replace)).toMatchObject({ code, stderr });
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
  const all = await copy.init("--openapi", openapi, "--replace");
  expect(all).toMatchObject({ code: 2 });
  expect(all.stderr).toMatch(/has 61 operations: choose some .* a \(58\), b \(3\)/);
  expect((await copy.init("--openapi", openapi, "--replace", "--tag", "c")).stderr).toMatch(/no such tag/);

  const done = await copy.init("--openapi", openapi, "--replace", "--tag", "b", "--operation", "a7");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(copy.read("spec/schema.graphql").match(/@rest\(operation: "[^"]*"\)/g)).toEqual([
    '@rest(operation: "a7")',
    '@rest(operation: "GET /b")',
  ]);
  expect(copy.read("spec/schema.graphql").match(/^type \w+/gm)).toEqual(["type Query", "type Page"]);
  const ledger = copy.read("spec/rest-only.yaml");
  expect(ledger).toMatch(/^picture: it answers neither JSON nor text/m);
  expect(ledger).toMatch(/^broken: .*points at nothing/m);
  expect(ledger).toMatch(/^a8: not chosen/m);
  expect(ledger).not.toMatch(/^(?:a7|GET \/b|tag:.*):/m);
  expect(ledger).toMatch(/^# .*A key may be a pattern: tag:billing/m);
  expect(done.stdout).toMatch(/^left out: broken: .*\nmend it: .* overlay\.yaml beside it/m);
  expect(done.stdout).toContain("npm run dev -- graphql");
  const { stdout } = await copy.check().catch((error: Ended) => error);
  expect(stdout.match(/^(?:error|warning) .*$/gm)).toEqual([expect.stringMatching(/document-faulty$/)]);

  const roles = run([], {}, [], copy.main);
  expect(await roles.ended).toBe(2);
  expect(roles.output()).toMatch(
    /^messaging-graphql: the embedded platform cannot serve .* run the graphql role/,
  );
});
