/** Unreadable input of every kind ends with one clear line and the right exit code: no stack trace, no hang. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { commandFailure, failureLines } from "../../../../src/engine/shared/cli/command-failure.ts";
import { depotOpenapi, edited, project, ran, repository, write } from "./run.ts";

const deep = (open: string, close: string): string => open.repeat(10_000) + close.repeat(10_000);
const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefghij".split("").map((name, index) => {
    const before = "abcdefghi"[index];
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`;
  }),
].join("\n");

const openapi = "spec/openapi.yaml";
const schema = "spec/schema.graphql";

const inputs: [name: string, files: Record<string, string | Buffer>, code: number, line: RegExp][] = [
  ["an empty document", { [openapi]: "" }, 3, /^spec\/openapi\.yaml:1:1: is not an OpenAPI/],
  ["an empty schema", { [schema]: "" }, 3, /^spec\/schema\.graphql:1:1: .*Unexpected <EOF>/],
  ["a document of binary", { [openapi]: Buffer.from([0, 255, 254, 1, 2, 3]) }, 3, /^spec\/openapi\.yaml:/],
  ["a schema of binary", { [schema]: Buffer.from([0, 255, 254, 1, 2, 3]) }, 3, /^spec\/schema\.graphql:/],
  ["Swagger 2.0", { [openapi]: 'swagger: "2.0"\npaths: {}' }, 3, /is Swagger 2\.0/],
  ["a YAML bomb", { [openapi]: `openapi: 3.1.0\n${bomb}` }, 3, /^spec\/openapi\.yaml:.*aliases/],
  [
    "10,000 levels of YAML",
    { [openapi]: `openapi: 3.1.0\nx: ${deep("[", "]")}` },
    3,
    /^spec\/openapi\.yaml:.*nested too deeply/,
  ],
  [
    "10,000 levels of schema",
    { [schema]: `type Query { a: ${deep("[", "]").replace("[]", "[Int]")} }` },
    3,
    /^spec\/schema\.graphql:/,
  ],
  [
    "duplicate keys",
    { [openapi]: "openapi: 3.1.0\npaths: {}\npaths: {}\n" },
    3,
    /^spec\/openapi\.yaml:3:1: the key "paths" appears twice in one object/,
  ],
  ["a document that is a list", { [openapi]: "- 1\n- 2\n" }, 3, /is not an OpenAPI/],
  ["an operation for a schema", { [schema]: "{ me { id } }" }, 3, /is an operation, not a schema/],
  ["an unclosed schema", { [schema]: "type Query {" }, 3, /^spec\/schema\.graphql:1:13: /],
  ["approvals that are no YAML", { "spec/approvals.yaml": "a: [" }, 3, /^spec\/approvals\.yaml:/],
  [
    "approvals that are no list",
    { "spec/approvals.yaml": "a: 1" },
    3,
    /^spec\/approvals\.yaml:1:1: must be a list/,
  ],
  [
    "an approval without a reason",
    { "spec/approvals.yaml": "- fingerprint: abc\n" },
    3,
    /^spec\/approvals\.yaml:1:\d+: an approval needs rule, /,
  ],
  [
    "an approval as the finding prints it",
    {
      "spec/approvals.yaml":
        '- { fingerprint: abc, rule: r, coordinate: Query.a, reason: <why>, author: <who>, expires: "2026-02-01" }\n',
    },
    3,
    /^spec\/approvals\.yaml:1:\d+: an approval needs reason, author\n/,
  ],
  [
    "a ledger that is a list",
    { "spec/rest-only.yaml": "- audit_log\n" },
    3,
    /^spec\/rest-only\.yaml:1:1: must be a map/,
  ],
];

test.each(inputs)("%s is one clear line, and the lines of the file", async (_name, files, code, line) => {
  const result = await ran(project(files), []);
  expect(result).toMatchObject({ code, out: "" });
  expect(result.error).toMatch(line);
  const [, ...frame] = result.error.split("\n");
  for (const each of frame) expect(each).toMatch(/^ {4}[ >] +(?:\d+ )?\|/);
  expect(frame.length).toBeLessThanOrEqual(4);
  expect(result.error).not.toMatch(/\n\s+at |node_modules/);
});

test("a file that is not YAML is shown where it stops being YAML", async () => {
  const spec = edited(depotOpenapi, "  operationId: parcel_create", "   operationId: parcel_create");
  const { error } = await ran(project({ [openapi]: spec }), [], codegen);
  expect(error).toMatch(
    /^spec\/openapi\.yaml:\d+:\d+: .+\n {6}\d+ \| {8}operationId: parcel_create\n {4}> \d+ \| .+\n/,
  );
});

test("check ends as codegen does where a field reaches a duplicate key", async () => {
  const twice = edited(
    depotOpenapi,
    "operationId: parcel_create",
    "operationId: parcel_create\n      operationId: parcel_create",
  );
  const root = project({ [openapi]: twice });
  expect((await ran(root, [], codegen)).code).toBe(3);
  expect((await ran(root, [])).code).toBe(3);
});

test("codegen refuses an unreadable spec with the same exit code, and writes nothing", async () => {
  const root = project({ [openapi]: "" });
  const error = "spec/openapi.yaml:1:1: is not an OpenAPI 3.0, 3.1 or 3.2 document";
  expect(await ran(root, [], codegen)).toEqual({ code: 3, out: "", error });
  expect(existsSync(join(root, "generated"))).toBe(false);
});

test("an unexpected error is one line that asks for a bug report", () => {
  const failure = commandFailure(new TypeError("x is not a function\nat y"), "check");
  expect(failure.exitCode).toBe(4);
  expect(failureLines(failure)).toEqual(["check: this is a bug, please report it: x is not a function"]);
});

test("thousands of schemas in each other are a fault of the document", () => {
  const recurse = (): number => 1 + recurse();
  let thrown: unknown;
  try {
    recurse();
  } catch (error) {
    thrown = error;
  }
  const failure = commandFailure(thrown, "npm run init");
  expect(failure.exitCode).toBe(3);
  expect(failureLines(failure)).toEqual(["npm run init: schemas or types are nested too deeply"]);
});

test.each([
  ["openapi.yaml", 3, /^spec\/openapi\.yaml:1:1: is a folder/],
  ["schema.graphql", 3, /^spec\/schema\.graphql:1:1: is a folder/],
])("a folder instead of %s is one clear line", async (name, code, line) => {
  const root = project();
  rmSync(join(root, "spec", name));
  mkdirSync(join(root, "spec", name));
  const result = await ran(root, []);
  expect(result.code).toBe(code);
  expect(result.error).toMatch(line);
});

test("a missing spec folder is one line for each of both files", async () => {
  const root = project();
  rmSync(join(root, "spec"), { recursive: true });
  const result = await ran(root, []);
  expect(result.code).toBe(3);
  expect(result.error.split("\n")).toHaveLength(2);
});

test.each([
  ["--nothing", /^unknown option '--nothing' \(restbound check --help explains\)$/],
  ["--bsae=main", /^unknown option '--bsae'; did you mean "--base"\? \(/],
  ["--format=jsno", /'jsno' is invalid\. The formats are .*; did you mean "json"\?/],
  ["--format=json=", /A file name is missing after the =/],
  ["--base=", /'--base <git ref or URL>' argument '' is invalid\. It is empty/],
  ["--base=main", /^--base main: fatal: not a git repository/],
  ["stray", /^too many arguments/],
])("%s is a usage error", async (argument, line) => {
  const result = await ran(project(), [argument]);
  expect(result).toMatchObject({ code: 2, out: "" });
  expect(result.error).toMatch(line);
  expect(result.error).not.toContain("\n");
});

test.each([
  ["no-such-ref", /^--base no-such-ref: there is no such commit here; fetch it first/],
  ["--upload-pack=x", /there is no such commit/],
  ["HEAD^{tree}", /^--base HEAD.*: error: .*expected commit type/],
])("the base %s is refused", async (base, line) => {
  const result = await ran(repository(), [`--base=${base}`]);
  expect(result).toMatchObject({ code: 2, out: "" });
  expect(result.error).toMatch(line);
});

test("codegen refuses arguments, and writes nothing", async () => {
  const root = project();
  const error = "unknown option '--nonsense' (restbound codegen --help explains)";
  expect(await ran(root, ["--nonsense"], codegen)).toEqual({ code: 2, out: "", error });
  expect(await ran(root, ["stray"], codegen)).toMatchObject({ code: 2, out: "" });
  expect(existsSync(join(root, "generated"))).toBe(false);
});

test.each(["subscription", "mutation"])(
  "a saved %s is a finding if the schema has no such root type",
  async (operation) => {
    const root = project({
      [schema]: 'type Query { log: [Entry!] @rest(operation: "audit_log") }\nscalar Entry',
      "spec/operations/depot.graphql": `${operation} S { log }`,
    });
    const line = `the schema has no ${operation} operations`;
    expect(await ran(root, [])).toMatchObject({ code: 1, out: expect.stringContaining(line) });
    const { code, error } = await ran(root, [], codegen);
    expect(code).toBe(1);
    expect(error).toMatch(`spec/operations/depot.graphql:1:1\n  saved-operation-invalid at S: ${line}`);
  },
);

test("an alias to itself does not hang", async () => {
  const { code, out } = await ran(project({ [openapi]: "openapi: 3.1.0\npaths: &a\n  x: *a\n" }), []);
  expect(code).toBe(1);
  expect(out).toMatch(/operation-unknown/);
});

test("a cycle of references and of allOf does not hang", async () => {
  const root = project();
  write(root, {
    [openapi]: `openapi: 3.1.0
paths:
  /a:
    get:
      operationId: a
      responses: { "200": { description: a, content: { application/json: { schema: { $ref: "#/components/schemas/A" } } } } }
components:
  schemas:
    A: { allOf: [{ $ref: "#/components/schemas/B" }], properties: { next: { $ref: "#/components/schemas/A" } } }
    B: { allOf: [{ $ref: "#/components/schemas/A" }], properties: { x: { type: string } } }
    Loop: { $ref: "#/components/schemas/Loop" }
`,
    [schema]: 'type Query { a: A @rest(operation: "a") }\ntype A { x: String next: A }\n',
    "spec/operations/depot.graphql": "query A { a { x next { x } } }",
    "spec/rest-only.yaml": "",
  });
  const { code, out } = await ran(root, []);
  expect(code).toBe(1);
  expect(out.match(/(?<!#)ref-circular$/gm)).toHaveLength(1);
  expect(out).toMatch(/document-faulty$/m); // no field reaches `Loop`
  expect(out).not.toMatch(/ref-unresolved/);
});

test("a byte order mark and CRLF cause no finding", async () => {
  const root = project();
  const { readFileSync } = await import("node:fs");
  for (const name of [openapi, schema]) {
    const text = readFileSync(join(root, name), "utf8");
    write(root, { [name]: `\uFEFF${text.replaceAll("\n", "\r\n")}` });
  }
  const { out } = await ran(root, ["--format", "json"]);
  const { findings } = JSON.parse(out) as { findings: { stage: string }[] };
  expect(findings.filter(({ stage }) => stage !== "freshness")).toEqual([]);
});
