/** The packed tarball of the engine is what npm's own checkers accept, and holds nothing of this service. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "engine-package-"));
const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const tool = (name: string, ...args: string[]): string => run(join(root, "node_modules/.bin", name), ...args);
let tarball = "";

beforeAll(() => {
  run(process.execPath, "deploy/engine-package.ts");
  tarball = join(folder, run("npm", "pack", "./dist/restbound", "--pack-destination", folder).trim());
});
afterAll(() => rmSync(folder, { recursive: true }));

test("publint and attw find nothing", () => {
  expect(tool("publint", "run", tarball, "--strict")).toContain("All good!");
  // it ends with another exit code if there is a problem, and `tool` throws
  expect(tool("attw", tarball, "--profile", "esm-only")).toContain("restbound/rest");
});

test("it has 1.5 MB at most, JavaScript and types, and no test, platform or spec", () => {
  expect(statSync(tarball).size).toBeLessThan(1_500_000);
  const files = run("tar", "-tzf", tarball).trim().split("\n");
  expect(files).toEqual(
    expect.arrayContaining(["package/doors/rest.js", "package/doors/rest.d.ts", "package/doors/rest.js.map"]),
  );
  expect(
    files.filter((name) => /(?<!\.d)\.ts$|\.test\.|^package\/(?:test|platform|spec|generated)\//.test(name)),
  ).toEqual([]);
});
