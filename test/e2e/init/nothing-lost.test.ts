/** `npm run init` that fails leaves the project as it was; so do two runs of codegen at the same time. */
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as check } from "../../../src/engine/check/main.ts";
import { run as init } from "../../../src/engine/init/main.ts";
import { ran } from "../../check/run.ts";
import { copyProject, type ProjectCopy } from "../project-copy.ts";

function copied(): ProjectCopy {
  const copy = copyProject();
  onTestFinished(() => copy.remove());
  return copy;
}

/** A document whose one schema stands in another file. */
function vendor(copy: ProjectCopy, file: string): string {
  const properties = { id: { type: "string" } };
  const schema = { $ref: `${file}#/Thing` };
  const responses = { 200: { description: "ok", content: { "application/json": { schema } } } };
  const document = {
    openapi: "3.0.3",
    info: { title: "t", version: "1" },
    security: [],
    paths: { "/thing": { get: { operationId: "getThing", responses } } },
  };
  const path = join(copy.root, "vendor", file, "..");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(copy.root, "vendor", file), JSON.stringify({ Thing: { type: "object", properties } }));
  writeFileSync(join(copy.root, "vendor/api.json"), JSON.stringify(document));
  return "vendor/api.json";
}

test.each([
  "schema.graphql",
  "rest-only.yaml",
  "approvals.yaml",
  "schema.graphql/things.json",
  "operations/a.graphql",
])("a document that would bring its own %s is refused, and nothing is replaced", async (file) => {
  const copy = copied();
  const before = copy.read("spec/schema.graphql");
  expect(await ran(copy.root, ["--openapi", vendor(copy, file), "--replace"], init)).toMatchObject({
    code: 2,
    error: `--openapi vendor/api.json: a $ref names the file ${file}, which has a meaning of its own in spec/: give it another name, there and in the $ref`,
  });
  expect(copy.read("spec/schema.graphql")).toBe(before);
});

test("a document that codegen cannot read leaves the spec as it was", async () => {
  const copy = copied();
  const read = () => [copy.read("spec/schema.graphql"), readdirSync(join(copy.root, "spec"))];
  const before = read();
  const openapi = vendor(copy, "thing.json");
  copy.edit(openapi, (text) => text.replace('"getThing"', '"get%Thing"'));
  expect(await ran(copy.root, ["--openapi", openapi, "--replace"], init)).toMatchObject({
    code: 3,
    error: expect.stringMatching(
      /^vendor\/api\.json:1:1: .* has a % in its name that openapi-typescript cannot/,
    ),
  });
  expect(read()).toEqual(before);
});

test("a document whose parts stand in a folder operations/ is taken with them", async () => {
  const copy = copied();
  const openapi = vendor(copy, "operations/thing.json");
  expect(await ran(copy.root, ["--openapi", openapi, "--replace"], init)).toMatchObject({
    code: 0,
    error: "",
  });
  expect(readdirSync(join(copy.root, "spec/operations"))).toEqual(["thing.json"]);
  expect(readdirSync(copy.root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect((await ran(copy.root, [], check)).code).toBe(0);
});

test("where generated/ cannot be replaced, spec/ and the scripts stay as they were", async () => {
  const copy = copied();
  renameSync(join(copy.root, "generated"), join(copy.root, "elsewhere"));
  symlinkSync("elsewhere", join(copy.root, "generated"));
  const read = () => ["spec/schema.graphql", "elsewhere/resolvers.ts", "package.json"].map(copy.read);
  const before = read();
  const failed = await ran(copy.root, ["--openapi", vendor(copy, "thing.json"), "--replace"], init);
  expect(failed).toMatchObject({ code: 2, error: expect.stringContaining("generated is a symbolic link") });
  expect(read()).toEqual(before);
});

test("two runs of codegen at the same time both end well, and leave the whole folder", {
  timeout: 120_000,
}, async () => {
  const copy = copied();
  copy.edit("spec/schema.graphql", (text) => text.replaceAll('"Id."', '"The id."'));
  const runs = await Promise.all([copy.codegen(), copy.codegen(), copy.codegen()]);
  expect(runs.map(({ stderr }) => stderr)).toEqual(["", "", ""]);
  expect((await ran(copy.root, [], check)).out).toContain("findings: 0 ");
});
