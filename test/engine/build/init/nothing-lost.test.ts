/** `restbound init` that fails leaves the folder as it was; so do two runs of codegen at the same time. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as check } from "../../../../src/engine/build/check/check-command.ts";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { emptyProject, type Project, projectOf } from "../../../support/project.ts";
import { ran } from "../check/run.ts";

function opened(copy = emptyProject()): Project {
  onTestFinished(() => copy.remove());
  return copy;
}

/** A document whose one schema stands in another file. */
function vendor(copy: Project, file: string): string {
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
  "operations/a.gql",
  // the same file where names are compared without case, or without dots at the end
  "Approvals.YAML",
  "approvals.yaml.",
  "Operations/a.GraphQL",
])("a document that would bring its own %s is refused, and nothing is written", async (file) => {
  const copy = opened();
  const openapi = vendor(copy, file);
  const before = readdirSync(copy.root);
  expect(await ran(copy.root, ["--openapi", openapi], init)).toMatchObject({
    code: 2,
    error: `--openapi vendor/api.json: a $ref names the file ${file}, which has a special meaning in spec/: give it another name, there and in the $ref`,
  });
  expect(readdirSync(copy.root)).toEqual(before);
});

test("a document that codegen cannot read leaves the folder as it was", async () => {
  const copy = opened();
  const openapi = vendor(copy, "thing.json");
  const before = readdirSync(copy.root);
  copy.edit(openapi, (text) => text.replace('"getThing"', '"get%Thing"'));
  expect(await ran(copy.root, ["--openapi", openapi], init)).toMatchObject({
    code: 3,
    error: expect.stringMatching(
      /^vendor\/api\.json:1:1: .* has a % in its name that openapi-typescript cannot/,
    ),
  });
  expect(readdirSync(copy.root)).toEqual(before);
});

test("a document with parts in a folder operations/ is copied with them", async () => {
  const copy = opened();
  const openapi = vendor(copy, "operations/thing.json");
  expect(await ran(copy.root, ["--openapi", openapi], init)).toMatchObject({
    code: 0,
    error: "",
  });
  expect(readdirSync(join(copy.root, "spec/operations"))).toEqual(["thing.json"]);
  expect(readdirSync(copy.root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect((await ran(copy.root, [], check)).code).toBe(0);
});

test("where generated/ cannot be written, nothing else is", async () => {
  const copy = opened();
  mkdirSync(join(copy.root, "elsewhere"));
  symlinkSync("elsewhere", join(copy.root, "generated"));
  const openapi = vendor(copy, "thing.json");
  const before = readdirSync(copy.root);
  expect(await ran(copy.root, ["--openapi", openapi], init)).toMatchObject({
    code: 2,
    error: expect.stringContaining("generated is a symbolic link"),
  });
  expect([readdirSync(copy.root), readdirSync(join(copy.root, "elsewhere"))]).toEqual([before, []]);
});

test("two runs of codegen at the same time both end well, and leave the whole folder", {
  timeout: 120_000,
}, async () => {
  const copy = opened(projectOf(join(import.meta.dirname, "../../desk/spec")));
  await copy.codegen();
  copy.edit("spec/schema.graphql", (text) =>
    text.replace("type Query {", '"All that is read."\ntype Query {'),
  );
  const runs = await Promise.all([copy.codegen(), copy.codegen(), copy.codegen()]);
  expect(runs).toEqual(["", "", ""]);
  expect((await ran(copy.root, [], check)).out).toContain("findings: 0 ");
});
