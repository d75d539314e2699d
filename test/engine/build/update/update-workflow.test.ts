/**
 * The workflow that `init` writes for updates: its scripts run in bash, against a git repository, a server that has two versions of
 * a document, and a `gh` that records its calls.
 */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { addFiles } from "../../../../src/engine/build/init/project-files.ts";
import { emptyProject } from "../../../support/project.ts";
import { listen } from "../../gateway/fakes.ts";
import { ran, write } from "../check/run.ts";

type Step = {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
};
type Job = { if?: string; env?: Record<string, string>; permissions?: object; steps: Step[] };
type Outputs = Record<string, string>;

const command = join(import.meta.dirname, "../../../../src/engine/bin/restbound.ts");

const documentOf = (name: object, more: object = {}): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    security: [],
    paths: {
      "/thing": {
        get: operation("getThing", { type: "object", required: ["name"], properties: { name } }),
      },
      ...more,
    },
  });

const operation = (operationId: string, schema: object): object => ({
  operationId,
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});

const text = { type: "string" };
const old = { "/old": { get: operation("getOld", text) } };
const saved = "query Things { thing { name } }\nquery Old { old }\n";

/** A project on a branch `main` of a git host. `night` runs the workflow. */
async function scheduled() {
  const folder = mkdtempSync(join(tmpdir(), "workflow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const served = { document: documentOf(text, old) };
  const server = await listen((_request, response) => response.end(served.document));
  onTestFinished(server.close);
  const { root } = project;
  const url = new URL("/api.json", server.url).href;
  expect(await ran(root, ["--openapi", url], init)).toMatchObject({ code: 0, error: "" });
  write(root, { ".gitignore": "node_modules\n", "spec/operations/things.graphql": saved });
  await project.codegen();
  const host = join(folder, "host.git");
  const identity = ["-c", "user.name=t", "-c", "user.email=t@t.example"];
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", [...identity, ...args], { cwd, stdio: "pipe", encoding: "utf8" }).trim();
  git(folder, "init", "-q", "--bare", "--template=", "-b", "main", host);
  git(root, "init", "-q", "--template=", "-b", "main");
  git(root, "add", ".");
  git(root, "commit", "-q", "-m", "base");
  git(root, "push", "-q", host, "main");

  const bin = join(folder, "bin");
  const calls = join(folder, "calls");
  const open = join(folder, "open");
  mkdirSync(bin);
  const scripts = {
    // the number of the open pull request, as --jq prints it, if there is one
    gh: `{ printf '%s|' "$@"; printf '\\n'; } >> "${calls}"
if [ "$1 $2" = "pr list" ]; then cat "${open}" 2>/dev/null; else echo 7 > "${open}"; fi
exit 0`,
    npm: "exit 0",
    npx: `shift; exec "${process.execPath}" "${command}" "$@"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { env, jobs } = parse(project.read(".github/workflows/update.yml")) as {
    env: Record<string, string>;
    jobs: Record<"fetch" | "pull-request", Job>;
  };

  /** Runs the scripts of a job in a checkout, and returns the outputs of its steps. */
  async function runJob(
    { env: jobEnv = {}, steps }: Job,
    known: Outputs,
    checkout: string,
    temp: string,
  ): Promise<Outputs> {
    const outputs: Outputs = {};
    const resolved = (given: Record<string, string>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          value.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, path: string) => known[path] ?? ""),
        ]),
      );
    const ofJob = resolved({ ...env, ...jobEnv });
    for (const { id, if: condition, run, env: stepEnv = {} } of steps) {
      if (run === undefined) continue;
      if (condition !== undefined) {
        expect(condition).toBe("env.CHANGED == 'true'");
        if (ofJob.CHANGED !== "true") continue;
      }
      const output = join(temp, "output");
      writeFileSync(output, "");
      await promisify(execFile)("bash", ["-e", "-c", run], {
        cwd: checkout,
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: folder,
          GITHUB_REF_NAME: "main",
          GITHUB_REPOSITORY: "acme/things",
          GITHUB_SERVER_URL: "https://github.example",
          GITHUB_RUN_ID: "42",
          GITHUB_OUTPUT: output,
          GITHUB_STEP_SUMMARY: join(temp, "summary"),
          RUNNER_TEMP: temp,
          ...ofJob,
          ...resolved(stepEnv),
        },
      });
      for (const line of readFileSync(output, "utf8").split("\n").filter(Boolean)) {
        const [name = "", ...value] = line.split("=");
        outputs[`steps.${id}.outputs.${name}`] = value.join("=");
      }
    }
    return outputs;
  }

  async function night() {
    writeFileSync(calls, "");
    const temp = mkdtempSync(join(folder, "temp-"));
    const [one, two] = [join(temp, "one"), join(temp, "two")];
    git(temp, "clone", "-q", host, one);
    const found = await runJob(jobs.fetch, {}, one, temp);
    const needs = Object.fromEntries(
      Object.entries(found).map(([path, value]) => [path.replace(/^steps\.\w+/, "needs.fetch"), value]),
    );
    expect(jobs["pull-request"].if).toBe(
      "needs.fetch.outputs.changed == 'true' || needs.fetch.outputs.number != ''",
    );
    if (needs["needs.fetch.outputs.changed"] === "true" || needs["needs.fetch.outputs.number"] !== "") {
      git(temp, "clone", "-q", host, two);
      git(two, "checkout", "-q", needs["needs.fetch.outputs.head"] ?? "");
      await runJob(jobs["pull-request"], needs, two, temp);
    }
    const body = join(temp, "body.md");
    return {
      calls: readFileSync(calls, "utf8").trim().replaceAll(temp, "TEMP").split("\n").slice(1),
      body: existsSync(body) ? readFileSync(body, "utf8") : "",
    };
  }

  return {
    night,
    served,
    open,
    git: (...args: string[]) => git(host, ...args),
    /** Commits to the branch of the pull request, as a person does. */
    mend: (file: string, content: string): void => {
      const clone = mkdtempSync(join(folder, "clone-"));
      git(clone, "clone", "-q", "-b", "restbound-update", host, ".");
      write(clone, { [file]: content });
      git(clone, "add", ".");
      git(clone, "commit", "-q", "-m", "mend");
      git(clone, "push", "-q", "origin", "HEAD");
    },
  };
}

const title = "--title|Take the changes of the OpenAPI documents";
const created = `pr|create|--base|main|--head|restbound-update|${title}|--body-file|TEMP/body.md|`;
const described = "api|--method|PATCH|repos/acme/things/pulls/7|--field|body=@TEMP/body.md|--silent|";

test("a night without changes opens nothing; a safe change opens a pull request, which the next night updates", async () => {
  const { night, served, git } = await scheduled();
  expect(await night()).toEqual({ calls: [], body: "" });
  served.document = documentOf({ ...text, description: "more" }, old);
  expect(await night()).toEqual({
    calls: [created],
    body: expect.stringMatching(
      /^The whole report: https:\/\/github\.example\/acme\/things\/actions\/runs\/42\n\n## Spec check: ✅/,
    ),
  });
  const changed = () => git("diff", "--name-only", "main", "restbound-update").split("\n");
  expect(changed()).toEqual(expect.arrayContaining(["restbound.lock.json", "spec/openapi.yaml"]));
  expect(git("show", "restbound-update:spec/openapi.yaml")).toBe(served.document);
  expect((await night()).calls).toEqual([described]);
  expect(git("log", "--format=%s", "main..restbound-update").split("\n")).toHaveLength(1);
});

test("a change that breaks opens a draft: its text has the errors, what was removed, and saved operations by name", async () => {
  const { night, served, git, mend, open } = await scheduled();
  served.document = documentOf({ type: "integer" });
  const { calls, body } = await night();
  expect(calls).toEqual([`${created}--draft|`]);
  expect(body).toContain("### breaking: `Query.old`");
  expect(body).toMatch(/`GetThing.name` \(`output-type`\)/);
  expect(body).toMatch(/\| `Things` \|/);
  expect(body).toMatch(/\| `Old` \|/);

  // a person's commit stays, also when the vendor changes the document again
  mend("NOTES.md", "mended");
  served.document = documentOf({ type: "integer", description: "again" });
  expect((await night()).calls).toEqual([described, "pr|ready|7|--undo|"]);
  expect(git("log", "--format=%s", "main..restbound-update").split("\n")).toEqual([
    "Take the changes of the OpenAPI documents",
    "mend",
    "Take the changes of the OpenAPI documents",
  ]);
  expect(git("show", "restbound-update:spec/openapi.yaml")).toBe(served.document);

  // once the pull request is closed, its commits are dropped
  rmSync(open);
  expect((await night()).calls).toEqual([`${created}--draft|`]);
  expect(git("log", "--format=%s", "main..restbound-update").split("\n")).toHaveLength(1);
});

test("what a document brings stays data: the branch changes no other files, and the text has no mention, image or markup", async () => {
  const { night, served, git } = await scheduled();
  const hostile =
    "@acme/all ![x](https://evil.example/x) <img src=x> [see](https://evil.example)\n::add-mask::x\n### approved";
  served.document = documentOf(
    { type: "string", description: hostile, enum: [hostile] },
    {
      ...old,
      [`/${hostile}`]: { get: { ...operation("getEvil", text), summary: hostile } },
      "/.github": { get: operation(`../.github/workflows/x.yml ${hostile}`, text) },
    },
  );
  const { calls, body } = await night();
  expect(calls).toHaveLength(1);
  const plain = body.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  expect(plain).not.toMatch(/@[a-z]|!\[|(?<!\\)<img|(?<!\\)\]\(http|^::|^### approved/m);
  const changed = git("diff", "--name-only", "main", "restbound-update").split("\n");
  expect(changed.filter((path) => !/^(?:spec|generated)\/|^restbound\.lock\.json$/.test(path))).toEqual([]);
});

test("the job that reads the document and runs packages has no token that may write, and the other runs no packages", () => {
  const root = mkdtempSync(join(tmpdir(), "workflow-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  addFiles(root, { variable: "REST_BASE_URL", hasUrl: true });
  const { permissions, jobs } = parse(readFileSync(join(root, ".github/workflows/update.yml"), "utf8")) as {
    permissions: object;
    jobs: Record<"fetch" | "pull-request", Job>;
  };
  const { fetch, "pull-request": pull } = jobs;
  expect(permissions).toEqual({});
  expect(fetch.permissions).toEqual({ contents: "read", "pull-requests": "read" });
  const [checkout] = fetch.steps;
  expect(checkout?.with).toMatchObject({ "persist-credentials": false });
  const secretOf = ({ id, env }: Step): string[] =>
    Object.entries(env ?? {}).flatMap(([name, value]) =>
      /secrets|token/.test(value) ? [`${id} ${name}`] : [],
    );
  expect(fetch.steps.flatMap(secretOf)).toEqual(["branch GH_TOKEN", "update OPENAPI_HEADER"]);
  // npm ci runs what packages bring: neither secret is there
  expect(fetch.steps.find(({ run }) => run === "npm ci")?.env).toBeUndefined();
  expect(
    pull.steps.filter(({ uses = "", run = "" }) => /setup-node|\bnp[mx]\b|\bnode\b/.test(uses + run)),
  ).toEqual([]);
  // an expression inside a script would put a document's text into the shell
  for (const { run = "" } of [...fetch.steps, ...pull.steps]) expect(run).not.toContain("${{");
});
