/** What `--base` finds in git: a project that is new, one that was moved, and a repository that git does not read. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as codegen } from "../../../src/engine/codegen/main.ts";
import { depotOpenapi, depotSchema, edited, ran, reportOf, repository, silent, write } from "./run.ts";

/** Moves the spec folder, and returns the project's new folder. */
function moved(top: string, folder: string): string {
  const root = join(top, folder);
  mkdirSync(root, { recursive: true });
  renameSync(join(top, "spec"), join(root, "spec"));
  return root;
}

test("a project that the base does not have is compared with nothing, and says so", async () => {
  const top = repository();
  const root = join(top, "new project");
  write(root, { "spec/openapi.yaml": depotOpenapi, "spec/schema.graphql": depotSchema });
  await codegen([], { root, ...silent });
  const { code, out } = await ran(root, ["--base", "HEAD"]);
  expect(out).toContain("changes: not checked, there was no project at HEAD");
  expect(code).toBe(0);
});

test("a project in another folder is compared with the folder that it had", async () => {
  const top = repository();
  const here = edited(depotOpenapi, "maximum: 500", "maximum: 100");
  const root = moved(top, "apps/depot");
  write(root, { "spec/openapi.yaml": here });
  await codegen([], { root, ...silent });
  const { findings, base } = await reportOf(root, "--base", "HEAD");
  expect(base).toBe("HEAD");
  expect(findings.map(({ rule }) => rule)).toEqual(["rest-limit-changed"]);
});

test("of two projects that were moved, none is guessed", async () => {
  const top = repository({ "old/spec/schema.graphql": depotSchema });
  renameSync(join(top, "old"), join(top, "older"));
  expect(await ran(moved(top, "new"), ["--base", "HEAD"])).toMatchObject({
    code: 2,
    error: "--base HEAD: which of old/spec/, spec/ was moved here? Move one at a time",
  });
});

test("where git refuses to read a repository, its remedy is told", async () => {
  const root = repository();
  // git's own switch for its tests
  process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = "1";
  onTestFinished(() => {
    delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER;
  });
  const { code, error } = await ran(root, ["--base", "HEAD"]);
  expect(code).toBe(2);
  expect(error).toMatch(/dubious ownership.*git config --global --add safe\.directory \//);
});
