/** `restbound init` in a folder of a larger repository. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { ran } from "../check/run.ts";

const blogDocument = join(import.meta.dirname, "../../another-api/spec/openapi.yaml");

test("below the top of a repository the workflow runs in the project's folder, and init says where it belongs", async () => {
  const { root: top, remove } = emptyProject();
  onTestFinished(remove);
  const root = join(top, "apps/my blog");
  mkdirSync(join(top, ".git"));
  mkdirSync(root, { recursive: true });
  symlinkSync(join(top, "node_modules"), join(root, "node_modules"));
  const { out } = await ran(root, ["--openapi", blogDocument], init);
  expect(out).toMatch(/^check it: {2}move \.github\/workflows\/check\.yml to the top of the repository/m);
  const { jobs } = parse(readFileSync(join(root, ".github/workflows/check.yml"), "utf8"));
  // a document on a disk changes with a commit
  expect(existsSync(join(root, ".github/workflows/update.yml"))).toBe(false);
  expect(jobs.check.defaults).toEqual({ run: { "working-directory": "apps/my blog/" } });
});
