/** GitHub's workflows: the actions and permissions that they may use, and the scripts that they run. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { benches, suites } from "../support/suites/suites.ts";
import { read, root } from "./docs/page.ts";

type Permissions = Record<string, string>;
type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { permissions?: Permissions; if?: string; steps: Step[] };
type Nightly = { matrix: { name: string[]; include: { kind: "bench" | "suite"; name: string }[] } };
type Workflow = { permissions?: Permissions; jobs: Record<string, Job> };

const folder = ".github/workflows";
const workflows = readdirSync(join(root, folder)).map((file) => {
  const text = read(`${folder}/${file}`);
  return { file, text, workflow: parse(text) as Workflow };
});
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);
const writers = workflows.flatMap(({ file, workflow: { permissions = {}, jobs } }) =>
  Object.entries(jobs)
    .filter(([, job]) => Object.values(job.permissions ?? permissions).includes("write"))
    .map(([name, job]) => ({ name: `${file}: ${name}`, job })),
);

describe.each(workflows)("$file", ({ text, workflow }) => {
  test("uses GitHub's own actions alone, each pinned by its commit, with the version beside it", () => {
    const used = text.split("\n").filter((line) => line.includes("uses:"));
    expect(used.length).toBe(stepsOf(workflow).filter(({ uses }) => uses).length);
    expect(used.filter((line) => !/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
  });

  test("no text of a pull request gets into a script, and permissions are stated", () => {
    expect(workflow.permissions).toBeDefined();
    expect(stepsOf(workflow).filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
    expect(text).not.toContain("pull_request_target");
  });

  test("runs scripts that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = stepsOf(workflow).flatMap(({ run = "" }) =>
      [...run.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name),
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test("one action has one commit, also in the workflow that init writes, in the guide and in the action", () => {
  const others = [
    "src/engine/build/init/project-files.ts",
    "docs/guides/ci.md",
    "docs/guides/your-own-api.md",
    "action.yml",
  ].map(read);
  const pins = [...workflows.map(({ text }) => text), ...others].flatMap(
    (text) => text.match(/(?<=uses: )actions\/.*/g) ?? [],
  );
  expect(pins.filter((pin) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(pin))).toEqual([]);
  expect(pins.length).toBeGreaterThan(5);
  expect(new Set(pins).size).toBe(new Set(pins.map((pin) => pin.split("@")[0])).size);
});

test("every suite and benchmark of the night is there", () => {
  const text = workflows.find(({ file }) => file === "nightly.yml")?.text ?? "";
  const { matrix } = (parse(text) as { jobs: { run: { strategy: Nightly } } }).jobs.run.strategy;
  expect(matrix.name.filter((name) => !(name in suites))).toEqual([]);
  const known = { bench: benches, suite: suites };
  expect(matrix.include.filter(({ kind, name }) => !(name in known[kind]))).toEqual([]);
  const byDay = [...read(".ci/run").matchAll(/^(?:for name in |beside=\()([a-z -]+)[;)]/gm)].flatMap(
    ([, list = ""]) => list.split(" "),
  );
  expect(byDay.length).toBeGreaterThan(5);
  const grouped = Object.values(suites).flatMap((one) => ("suites" in one ? one.suites : []));
  const once = [...byDay, ...grouped, "supply-chain"];
  // what runs neither by day nor at night runs nowhere by itself
  expect(Object.keys(suites).filter((name) => ![...once, ...matrix.name].includes(name))).toEqual([]);
});

test("few jobs may write: they run no code of the project but in a container, and leave forks alone", () => {
  expect(writers.map(({ name }) => name)).toEqual([
    "generate.yml: commit",
    "release.yml: npm",
    "release.yml: image",
    "release.yml: release",
  ]);
  const scripts = writers.flatMap(({ job }) => job.steps.flatMap(({ run = "" }) => run.split("\n")));
  const own = /^(?:(?:git|npm publish|docker|gh release|printf) |rm -r generated$|echo "digest=|$)/;
  expect(scripts.filter((line) => !own.test(line))).toEqual([]);
  expect(writers[0]?.job.if).toContain("head.repo.full_name == github.repository");
});

test("a release is a tag's: npm says where its tarball comes from, the image has a bill of materials and a digest", () => {
  const text = read(`${folder}/release.yml`);
  expect(parse(text).on).toEqual({ push: { tags: ["v*"] } });
  expect(text).toMatch(/npm publish .*--provenance/);
  expect(text).toMatch(/docker buildx build --push --sbom=true --provenance=mode=max/);
  expect(text).toContain('release-notes.ts "$GITHUB_REF_NAME"');
});
