/** Runs a command over a project folder made for one test, in memory but for its files. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { run as check } from "../../src/check/main.ts";

export type Ran = { readonly code: number; readonly out: string; readonly error: string };

export const depotSpec = join(import.meta.dirname, "../fixtures/depot/spec");

/** A project with the depot's spec, with `files` (paths below it) written over; removed when the test ends. */
export function project(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "check-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  cpSync(depotSpec, join(root, "spec"), { recursive: true });
  write(root, files);
  return root;
}

/** A repository whose only commit holds the depot with `files` written over. */
export function repository(files: Readonly<Record<string, string>> = {}): string {
  const root = project(files);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "-q", "-m", "base");
  return root;
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
): Promise<Ran> {
  const out: string[] = [];
  const error: string[] = [];
  const io = {
    root,
    out: (text: string) => out.push(text),
    error: (line: string) => error.push(line),
    today,
  };
  const code = await command(argv, io);
  return { code, out: out.join("\n"), error: error.join("\n") };
}
