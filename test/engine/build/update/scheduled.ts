/**
 * The workflow that `init` writes for updates: its scripts run in bash, against a git repository, a server that has versions of a
 * document, and a `gh` that records its calls.
 */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { parse } from "yaml";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { listen } from "../../gateway/fakes.ts";
import { ran, write } from "../check/run.ts";

export type Step = {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
};
export type Job = { if?: string; env?: Record<string, string>; permissions?: object; steps: Step[] };
type Outputs = Record<string, string>;

const command = join(import.meta.dirname, "../../../../src/engine/bin/restbound.ts");

export type Started = {
  /** The text of the document that the server has first. */
  readonly document: string;
  /** The options of `init` besides the address. */
  readonly options?: readonly string[];
  /** The text of a file of saved operations. */
  readonly saved: string;
};

/** A project on a branch `main` of a git host. `night` runs the workflow. */
export async function scheduled({ document, options = [], saved }: Started) {
  const folder = mkdtempSync(join(tmpdir(), "workflow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const served = { document };
  const server = await listen((_request, response) => response.end(served.document));
  onTestFinished(server.close);
  const { root } = project;
  const url = new URL("/api.json", server.url).href;
  expect(await ran(root, ["--openapi", url, ...options], init)).toMatchObject({ code: 0, error: "" });
  write(root, { ".gitignore": "node_modules\n", "spec/operations/saved.graphql": saved });
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
    const one = join(temp, "one");
    const two = join(temp, "two");
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
