/** The spec folder as it was at a git ref, read with `git ls-tree` and `git show`; nothing is checked out or written. */
import { execFileSync } from "node:child_process";
import { ConfigError } from "../config.ts";
import type { SpecFiles } from "../spec/spec-files.ts";

/** Throws `ConfigError` where there is no git, no repository or no such commit, and for whatever else git refuses. */
export function gitFiles(root: string, ref: string): SpecFiles {
  const git = (...args: string[]): string => runGit(root, ref, args);
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).trim();
  const listing = git("ls-tree", "-r", "-z", "--name-only", commit, "--", "spec/");
  const names = listing
    .split("\0")
    .filter((name) => name.startsWith("spec/"))
    .map((name) => name.slice("spec/".length));
  const known = new Set(names);
  return {
    // a name outside the listing may be a folder, or a way out of the spec folder
    read: (name) => (known.has(name) ? git("show", `${commit}:./spec/${name}`) : undefined),
    list: (folder) => names.filter((name) => name.startsWith(`${folder}/`)).sort(),
  };
}

function runGit(root: string, ref: string, args: string[]): string {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw new ConfigError([reasonOf(error as GitError, ref)]);
  }
}

/** More than any document that parses in reasonable time. */
const maxBuffer = 256 * 1024 * 1024;

type GitError = NodeJS.ErrnoException & { readonly status: number | null; readonly stderr: string | null };

/** Git's own reason; `rev-parse --quiet` gives none, and ends with 1, where there is no such commit. */
function reasonOf({ code, status, stderr, message }: GitError, ref: string): string {
  if (code === "ENOENT") return "--base needs git, and there is no git here";
  const [reason] = (stderr ?? "").split("\n");
  const unknown = "there is no such commit here; fetch it first (in CI: a checkout with full history)";
  return `--base ${ref}: ${reason || (status === 1 ? unknown : message)}`;
}
