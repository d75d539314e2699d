/** GitHub's workflows: the actions and permissions that they may use, and the scripts that they run. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { read, root } from "./docs/page.ts";

type Permissions = Record<string, string>;
type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { permissions?: Permissions; if?: string; steps: Step[] };
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
  test("uses GitHub's own actions alone", () => {
    const used = stepsOf(workflow).flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !/^actions\/[\w-]+@v\d+$/.test(name))).toEqual([]);
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

test("one job may write: it runs no code of the project, and leaves forks alone", () => {
  expect(writers.map(({ name }) => name)).toEqual(["generate.yml: commit"]);
  const scripts = writers.flatMap(({ job }) => job.steps.flatMap(({ run = "" }) => run.split("\n")));
  expect(scripts.filter((line) => !/^(?:git |rm -r generated$|$)/.test(line))).toEqual([]);
  expect(writers[0]?.job.if).toContain("head.repo.full_name == github.repository");
});
