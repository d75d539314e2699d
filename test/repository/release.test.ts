/** What is published is what it is called, and a pull request has one comment, however often it is checked. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { releaseNotes } from "../../deploy/release-notes.ts";
import { read } from "./docs/page.ts";

const changelog =
  "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.0] - 2026-12-01\n\n- new\n\n## [1.1.0]\n\n- old\n";

test("a release has the chapter of its version, and all versions are the tag's", () => {
  expect(releaseNotes("v1.2.0", { changelog, versions: ["1.2.0", "1.2.0"] })).toBe("- new\n");
  const refused = (tag: string, ...versions: string[]) =>
    expect(() => releaseNotes(tag, { changelog, versions }));
  refused("v1.2.0", "1.2.0", "1.1.0").toThrow("the tag is v1.2.0, and a package.json says 1.1.0");
  refused("v1.1.0", "1.1.0").toThrow('CHANGELOG.md has no chapter "## [1.1.0] - <YYYY-MM-DD>"');
  refused("v2.0.0", "2.0.0").toThrow("CHANGELOG.md has no chapter");
});

type Step = { readonly name: string; readonly run: string; readonly shell: string };
const steps: readonly Step[] = parse(read("action.yml")).runs.steps;

/** Runs the action's comment step where `gh` prints `known`, and returns the calls of `gh`. */
function comment(known: string, environment: Readonly<Record<string, string>>, report = "## Report\n") {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "bin"));
  const gh = join(folder, "bin/gh");
  const log = join(folder, "log");
  writeFileSync(
    gh,
    `#!/bin/sh\necho "$*" >> "${log}"\ncase "$*" in *--paginate*) printf '%s' "${known}";; esac\n`,
  );
  chmodSync(gh, 0o755);
  writeFileSync(log, "");
  writeFileSync(join(folder, "restbound-check.md"), report);
  const env = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    ...{ RUNNER_TEMP: folder, GITHUB_STEP_SUMMARY: join(folder, "summary"), GITHUB_REPOSITORY: "a/b" },
    ...{ NUMBER: "7", GH_TOKEN: "t", ...environment },
  };
  const { run = "" } = steps.find(({ name }) => name === "comment") ?? {};
  execFileSync("bash", ["-e", "-o", "pipefail", "-c", run], { env });
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  return { calls: text("log").trim().split("\n"), summary: text("summary"), text };
}

test("the first report is a comment, and a later one edits it", () => {
  const first = comment("", {});
  expect(first.summary).toBe("## Report\n");
  expect(first.calls[1]).toMatch(
    /^api --silent --method POST repos\/a\/b\/issues\/7\/comments --field body=@/,
  );
  expect(first.text("restbound-check.md.comment")).toBe("<!-- restbound check -->\n## Report\n");
  const [search, edit] = comment("41\n42\n", {}).calls;
  expect(search).toContain('startswith("<!-- restbound check -->")');
  expect(search).toContain('select(.user.login == "github-actions[bot]")');
  expect(edit).toMatch(/^api --silent --method PATCH repos\/a\/b\/issues\/comments\/41 --field body=@/);
});

test("more comments than a pipe holds are read to the end", () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => 41 + index).join("\n");
  expect(comment(ids, {}).calls.at(-1)).toContain("/comments/41 ");
});

test("without a token, as for a fork, the report is the run's summary alone", () => {
  expect(comment("", { GH_TOKEN: "" })).toMatchObject({ calls: [""], summary: "## Report\n" });
});

test("a report that is too long for a comment links to the rest, and each folder has its own comment", () => {
  const long = comment("", { FOLDER: "apps/shop" }, `## Report\n${"é".repeat(40_000)}`);
  expect(long.text("restbound-check.md.comment")).toMatch(
    /^<!-- restbound check apps\/shop -->\nThis is the beginning.*\n\n## Report\n/,
  );
  expect(long.text("restbound-check.md.comment").length).toBeLessThan(65_536);
});

test.each([
  [
    "where git knows no base, the check says what to fetch",
    "origin/nowhere",
    "check --base origin/nowhere --format",
  ],
  ["without a base, as on a push, nothing is compared", "", "check --format github"],
])("%s", (_name, BASE, line) => {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "npx"), '#!/bin/sh\necho "$@"\n');
  chmodSync(join(folder, "npx"), 0o755);
  const { run = "" } = steps.find(({ name }) => name === "check") ?? {};
  const env = { PATH: `${folder}:${process.env.PATH}`, RUNNER_TEMP: folder, BASE };
  const said = execFileSync("bash", ["-e", "-o", "pipefail", "-c", run], { env });
  expect(String(said)).toContain(line);
});

test("no text of a pull request gets into a script of the action", () => {
  expect(steps.filter(({ run }) => run.includes("${{"))).toEqual([]);
  expect(steps.map(({ shell }) => shell)).toEqual(["bash", "bash"]);
});
