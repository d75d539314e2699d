/** What `--base` finds in git: a project that is new, one that was moved, and a repository that git does not read. */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
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
  expect(out).toContain("changes: not checked, because there was no project at HEAD");
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

test("when the base branch is ahead, the report names the merge base, because its commits look like removals", async () => {
  const root = repository();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], { cwd: root });
  git("checkout", "-q", "-b", "main");
  write(root, { "spec/schema.graphql": `${depotSchema}\nunion Load = Goods | Letter\n` });
  git("commit", "-q", "-a", "-m", "main goes on");
  git("checkout", "-q", "-b", "mine", "HEAD~1");
  const late = await ran(root, ["--base", "main"]);
  expect(late.out).toContain("sdl-type-removed");
  expect(late.error).toMatch(/--base main has commits .*: --base "\$\(git merge-base main HEAD\)"$/);
  const { out, error } = await ran(root, ["--base", "HEAD"]);
  expect(out).not.toContain("sdl-type-removed");
  expect(error).toBe("");
});

test("when git refuses to read a repository, the message has git's remedy", async () => {
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
