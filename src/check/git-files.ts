/** The spec folder as it was at a git ref, read with `git ls-tree` and `git show`; nothing is checked out or written. */
import { execFileSync } from "node:child_process";
import { ConfigError } from "../config.ts";
import type { SpecFiles } from "../spec/spec-files.ts";

/** Throws `ConfigError` where there is no git, no repository or no such commit. */
export function gitFiles(root: string, ref: string): SpecFiles {
  const commit = resolveCommit(root, ref);
  const listing = git(root, ["ls-tree", "-r", "-z", "--name-only", commit, "--", "spec/"]);
  const names = listing
    .split("\0")
    .filter((name) => name.startsWith("spec/"))
    .map((name) => name.slice("spec/".length));
  const known = new Set(names);
  return {
    // a name outside the listing may be a folder, or a way out of the spec folder
    read: (name) => (known.has(name) ? git(root, ["show", `${commit}:./spec/${name}`]) : undefined),
    list: (folder) => names.filter((name) => name.startsWith(`${folder}/`)).sort(),
  };
}

function resolveCommit(root: string, ref: string): string {
  try {
    return git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]).trim();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new ConfigError([
      missing
        ? "--base needs git, and there is no git here"
        : `--base ${ref}: there is no such commit here; fetch it first (in CI: a checkout with full history)`,
    ]);
  }
}

/** 256 MiB: more than any document that parses in reasonable time. */
const git = (root: string, args: string[]): string =>
  execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
