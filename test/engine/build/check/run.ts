/** A project folder for one test, and commands that run over it inside the test process. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { run as check } from "../../../../src/engine/build/check/check-command.ts";
import type { Report } from "../../../../src/engine/build/check/report.ts";

export type Ran = { readonly code: number; readonly out: string; readonly error: string };

export const depotSpec = join(import.meta.dirname, "../../depot/spec");

export const depotOpenapi = readFileSync(join(depotSpec, "openapi.yaml"), "utf8");
export const depotSchema = readFileSync(join(depotSpec, "schema.graphql"), "utf8");

/** Replaces the first `from`; throws if there is none. */
export function edited(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`there is no ${from}`);
  return text.replace(from, to);
}

export const silent = { env: {}, out: () => undefined, error: () => undefined };

/** A project with the depot's spec, or another; `files` (relative paths) replace or join it. Removed when the test ends. */
export function project(files: Readonly<Record<string, string | Buffer>> = {}, spec = depotSpec): string {
  const root = mkdtempSync(join(tmpdir(), "check-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  cpSync(spec, join(root, "spec"), { recursive: true });
  write(root, files);
  return root;
}

/** A git repository with one commit: the project of the same `files`. */
export function repository(files: Readonly<Record<string, string>> = {}, spec = depotSpec): string {
  const root = project(files, spec);
  const given = JSON.stringify([files, spec]);
  const committed = commits.get(given) ?? commit(root);
  commits.set(given, committed);
  if (!existsSync(join(root, ".git"))) cpSync(committed, join(root, ".git"), { recursive: true });
  return root;
}

/** The `.git` folder of each project that was committed before: three processes less for the next test. */
const commits = new Map<string, string>();
process.on("exit", () => {
  for (const committed of commits.values()) rmSync(committed, { recursive: true, force: true });
});

/** Commits the folder, and returns a copy of its `.git`. */
function commit(root: string): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  git("init", "-q", "--template="); // without the examples of hooks
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "-q", "-m", "base");
  const copy = mkdtempSync(join(tmpdir(), "commit-"));
  cpSync(join(root, ".git"), copy, { recursive: true });
  return copy;
}

export function write(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

export async function ran(
  root: string,
  argv: readonly string[],
  command: typeof check = check,
  today = "2026-01-01",
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const out: string[] = [];
  const error: string[] = [];
  const io = {
    root,
    env,
    out: (text: string) => out.push(text),
    error: (line: string) => error.push(line),
    today,
  };
  const code = await command(argv, io);
  return { code, out: out.join("\n"), error: error.join("\n") };
}

export const reportOf = async (root: string, ...argv: string[]): Promise<Report> =>
  JSON.parse((await ran(root, ["--format", "json", ...argv])).out) as Report;
