/** docs/guides/ci.md: its tables are those of the command, and its commands run as each system would run them. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** A folder with an `npx` that runs the engine of this repository, and an `npm` that does nothing. */
function fakeTools(): string {
  const tools = mkdtempSync(join(tmpdir(), "tools-"));
  onTestFinished(() => rmSync(tools, { recursive: true }));
  const engine = join(root, "src/engine/bin/restbound.ts");
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${engine}" "$@"\n`;
  writeFileSync(join(tools, "npx"), npx, { mode: 0o755 });
  writeFileSync(join(tools, "npm"), "#!/bin/sh\n", { mode: 0o755 });
  return tools;
}

/** A clone with a change that breaks a saved operation. */
function changed() {
  const clone = repository();
  const tools = fakeTools();
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

test("GitLab's scheduled job pushes what changed, as a merge request, a draft if something is to settle", () => {
  const { update } = parse(read("examples/gitlab/update.yml"));
  const folder = mkdtempSync(join(tmpdir(), "gitlab-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tools = fakeTools();
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
  const project = repository({
    "package.json": JSON.stringify({
      type: "module",
      restbound: { sources: { "openapi.yaml": "vendor.yaml" } },
    }),
    "restbound.lock.json": "{}",
    "generated/index.ts": "",
  });
  const host = join(folder, "host.git");
  git(folder, "init", "-q", "--bare", "--template=", "-b", "main", host);
  git(host, "config", "receive.advertisePushOptions", "true");
  mkdirSync(join(host, "hooks"));
  const hook = "#!/bin/sh\nenv | grep '^GIT_PUSH_OPTION_[0-9]' | sort > options\n";
  writeFileSync(join(host, "hooks/pre-receive"), hook, { mode: 0o755 });
  git(project, "push", "-q", host, "HEAD:refs/heads/main");

  /** Runs the job's script in a clone, and returns the push options, or undefined without a push. */
  const night = (document: string): string | undefined => {
    const clone = mkdtempSync(join(folder, "clone-"));
    git(folder, "clone", "-q", host, clone);
    writeFileSync(join(clone, "vendor.yaml"), document);
    const options = join(host, "options");
    rmSync(options, { force: true });
    const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", update.script.join("\n")], {
      cwd: clone,
      encoding: "utf8",
      env: {
        ...update.variables,
        PATH: `${tools}:${process.env.PATH}`,
        HOME: folder,
        CI_COMMIT_SHA: git(clone, "rev-parse", "HEAD"),
        CI_DEFAULT_BRANCH: "main",
        CI_JOB_URL: "https://gitlab.example/jobs/1",
        CI_PROJECT_PATH: "acme/shop",
        CI_SERVER_HOST: "gitlab.example",
        UPDATE_TOKEN: "secret",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: `url.${host}.insteadOf`,
        GIT_CONFIG_VALUE_0: "https://oauth2:secret@gitlab.example/acme/shop.git",
      },
    });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
    expect(existsSync(join(clone, update.artifacts.paths[0]))).toBe(true);
    return existsSync(options) ? readFileSync(options, "utf8") : undefined;
  };
  const commits = () => git(host, "log", "--format=%s", "main..restbound-update").split("\n");
  const title = "Take the changes of the OpenAPI documents";

  expect(night(depotOpenapi)).toBeUndefined();
  const safe = night(edited(depotOpenapi, "maximum: 500", "maximum: 600"));
  for (const option of [
    "create",
    "target=main",
    `title=${title}`,
    "description=The report is in the artifacts of https://gitlab.example/jobs/1",
  ])
    expect(safe).toContain(`=merge_request.${option}\n`);
  expect(commits()).toEqual([title]);
  // the branch is there, so the next change joins it
  const breaking = night(edited(depotOpenapi, "maximum: 500", "maximum: 100"));
  expect(breaking).toContain(`=merge_request.title=Draft: ${title}\n`);
  expect(commits()).toEqual([`Draft: ${title}`, title]);
  const files = git(host, "diff", "--name-only", "main", "restbound-update").split("\n");
  expect(files.filter((path) => !/^(?:spec|generated)\/|^restbound\.lock\.json$/.test(path))).toEqual([]);
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
