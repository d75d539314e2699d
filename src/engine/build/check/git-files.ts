/** Reads the spec folder at a git ref with `git ls-tree` and `git show`, without a checkout. */
import { execFileSync, spawnSync } from "node:child_process";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { maxFileBytes } from "../../shared/regular-file.ts";
import { namesBelow, readOnce, type SpecFiles } from "../project/spec-files.ts";

/**
 * Returns the project's spec folder at a commit, even if the project was moved later. Returns `undefined` if the commit has no
 * spec folder. Throws `UsageError` if git is missing or fails, for example outside a repository.
 */
export function gitFiles(root: string, ref: string): SpecFiles | undefined {
  const git = (...args: string[]): string => runGit(root, ref, args);
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).trim();
  const below = (folder: string): string[] =>
    git("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", folder)
      .split("\0")
      .filter((name) => name.startsWith(folder))
      .map((name) => name.slice(folder.length));
  const here = `${git("rev-parse", "--show-prefix").replace(/\n$/, "")}spec/`;
  const folder = below(here).includes(schemaFile) ? here : movedFrom(git, commit, ref);
  if (folder === undefined) return undefined;
  const names = below(folder);
  const known = new Set(names);
  return {
    // reads only listed names, because another name may be a folder or lead out of the spec folder
    read: readOnce((name) => (known.has(name) ? git("show", `${commit}:${folder}${name}`) : undefined)),
    list: (folder) => namesBelow(folder, names),
  };
}

const schemaFile = "schema.graphql";

/** Returns the former path of a moved spec folder: the commit's only spec folder that the working tree lacks. */
function movedFrom(git: (...args: string[]) => string, commit: string, ref: string): string | undefined {
  const gone = ["diff", "--name-only", "--no-renames", "--diff-filter=D", "-z", commit];
  const schemas = git(...gone, "--", `:(top,glob)**/spec/${schemaFile}`).split("\0");
  const folders = schemas.filter((name) => name !== "").map((name) => name.slice(0, -schemaFile.length));
  if (folders.length > 1)
    throw new UsageError([
      `--base ${ref}: which of ${folders.join(", ")} was moved here? Move one at a time`,
    ]);
  return folders[0];
}

/** Whether the ref has commits that HEAD lacks. Whatever those commits added would be reported as removed. */
export function hasDiverged(root: string, ref: string): boolean {
  const outputOf = (args: readonly string[]): string =>
    spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
  const base = outputOf(["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`]);
  const fork = outputOf(["merge-base", "--end-of-options", ref, "HEAD"]);
  // a shallow clone may lack the merge base
  return fork !== "" && fork !== base;
}

/** Returns the commit that first added `text` to a file, on any branch or tag. `-m` also searches merge commits. */
export function findCommit(root: string, ref: string, text: string, path: string): string | undefined {
  const commits = runGit(root, ref, ["log", "--all", "-m", "--format=%H", `-S${text}`, "--", path]);
  return commits.trim().split("\n").at(-1) || undefined;
}

function runGit(root: string, ref: string, args: string[]): string {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: maxFileBytes,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw new UsageError([reasonOf(error as GitError, ref)]);
  }
}

type GitError = NodeJS.ErrnoException & { readonly status: number | null; readonly stderr: string | null };

/** Returns git's own message, except for an unknown commit, where `rev-parse --quiet` prints nothing and exits with 1. */
function reasonOf({ code, status, stderr, message }: GitError, ref: string): string {
  if (code === "ENOENT") return "--base needs git, but git is not installed";
  const reason = (stderr ?? "").trim().replaceAll(/\s+/g, " ");
  const unknown = "there is no such commit here; fetch it first (in CI: a checkout with full history)";
  return `--base ${ref}: ${reason || (status === 1 ? unknown : message)}`;
}
