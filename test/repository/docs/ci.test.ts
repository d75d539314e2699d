/** docs/guides/ci.md: its tables are those of the command, and its commands run as each system would run them. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { formatOption } from "../../../src/engine/build/check/format/format-option.ts";
import { run as codegen } from "../../../src/engine/build/codegen/codegen-command.ts";
import { exitCodesHelp } from "../../../src/engine/shared/cli/command.ts";
import {
  depotOpenapi,
  depotSchema,
  edited,
  repository,
  silent,
  write,
} from "../../engine/build/check/run.ts";
import { blocksOf, read, root, tableOf } from "./page.ts";

const page = read("docs/guides/ci.md");
const yaml = blocksOf(page, "yaml").map((text) => parse(text));

test("it has every exit code and every format", () => {
  expect(tableOf(page, "exit code | means").map(([code]) => code)).toEqual(
    exitCodesHelp.match(/(?<=\s)\d(?= )/g),
  );
  const formats = /^[\w, ]+/.exec(formatOption().description)?.[0].split(", ") ?? [];
  const told = tableOf(page, "`--format` | for").map(([name = ""]) => name.replaceAll("`", ""));
  expect(told.sort()).toEqual(formats.sort());
});

test("the action takes what the page gives it", () => {
  const given = [...page.matchAll(/`with: \{ ([\w-]+):/g)].map(([, name]) => name);
  expect(given.length).toBeGreaterThan(0);
  const inputs = Object.keys(parse(read("action.yml")).inputs);
  expect(given.filter((name) => !inputs.includes(name ?? ""))).toEqual([]);
});

/** A clone with a change that breaks a saved operation, in which `npx` runs the engine of this repository. */
function changed() {
  const clone = repository();
  const tools = mkdtempSync(join(tmpdir(), "tools-"));
  onTestFinished(() => rmSync(tools, { recursive: true }));
  const engine = join(root, "src/engine/bin/restbound.ts");
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${engine}" "$@"\n`;
  writeFileSync(join(tools, "npx"), npx, { mode: 0o755 });
  execFileSync("git", ["update-ref", "refs/remotes/origin/main", "HEAD"], { cwd: clone });
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: clone, encoding: "utf8" }).trim();
  write(clone, { "spec/openapi.yaml": edited(depotOpenapi, "maximum: 500", "maximum: 100") });
  write(clone, { "spec/schema.graphql": depotSchema });
  const shell = (command: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync("sh", ["-e", "-c", command], {
      cwd: clone,
      env: { PATH: `${tools}:${process.env.PATH}`, ...env },
      encoding: "utf8",
    });
  return { clone, commit, shell };
}

test("GitLab's job compares a merge request, and proves the default branch", async () => {
  const { check } = yaml.find((block) => block.check) ?? {};
  const { clone, commit, shell } = changed();
  await codegen([], { root: clone, ...silent });
  const report = join(clone, check.artifacts.reports.codequality);
  const found = shell(check.script.at(-1), { CI_MERGE_REQUEST_DIFF_BASE_SHA: commit });
  expect([found.status, found.stderr]).toEqual([1, ""]);
  expect(found.stdout).toContain("broken: Depot (spec/operations/depot.graphql:1)");
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject([{ check_name: "rest-limit-changed" }]);
  expect(shell(check.script.at(-1)).status).toBe(0);
  expect(JSON.parse(readFileSync(report, "utf8"))).toEqual([]);
});

test("the commands for any other system run", () => {
  const command =
    blocksOf(page, "sh")
      .find((text) => text.includes("check"))
      ?.split("\n")[1] ?? "";
  const { clone, shell } = changed();
  expect(shell(command)).toMatchObject({ status: 1, stderr: "" });
  expect(["check.sarif", "check.json"].filter((name) => !existsSync(join(clone, name)))).toEqual([]);
});
