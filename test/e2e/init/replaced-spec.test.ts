/** What `npm run init --replace` does to a spec folder where the vendor's document is hostile, or cannot be read to its end. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../src/init/main.ts";
import { ran } from "../../check/run.ts";
import { copyProject } from "../project-copy.ts";

/** Starts a project on a document whose one operation answers with `schema`. */
async function startedOn(schema: object, files: Readonly<Record<string, string>> = {}) {
  const copy = copyProject();
  onTestFinished(() => copy.remove());
  const responses = { 200: { description: "d", content: { "application/json": { schema } } } };
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/a": { get: { operationId: "a", responses } } },
  };
  for (const [name, text] of Object.entries({ ...files, "openapi.json": JSON.stringify(document) })) {
    mkdirSync(dirname(join(copy.root, "vendor", name)), { recursive: true });
    writeFileSync(join(copy.root, "vendor", name), text);
  }
  const before = specOf(copy.root);
  const ended = await ran(copy.root, ["--openapi", "vendor/openapi.json", "--replace"], init);
  expect(readdirSync(copy.root).filter((name) => name.startsWith("spec"))).toEqual(["spec"]);
  return { ...ended, isAsBefore: specOf(copy.root) === before, root: copy.root };
}

const specOf = (root: string): string =>
  readdirSync(join(root, "spec"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`)
    .join("\n");

test("a document that codegen cannot read leaves the spec as it was", async () => {
  const { code, error, isAsBefore } = await startedOn({ type: "object", properties: ["x"] });
  expect(error).toContain("cannot write types for it");
  expect([code, isAsBefore]).toEqual([3, true]);
});

test("a document that is read replaces the spec", async () => {
  const schema = { type: "object", properties: { id: { type: "string" } } };
  const { code, root } = await startedOn(schema);
  expect(code).toBe(0);
  expect(existsSync(join(root, "spec/operations"))).toBe(false);
  expect(readFileSync(join(root, "spec/openapi.yaml"), "utf8")).toContain('"operationId":"a"');
});
