/**
 * If npm installed the engine from a tarball, copies this tarball into the project. Docker builds and CI workflows have only the
 * repository's files, so `npm ci` would fail on a path outside the repository.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { replaceFile } from "../../shared/cli/replace-files.ts";
import { isRecord, membersOf, parsedJson } from "../../shared/json-object.ts";

const folder = "vendor";

/** Returns the tarball's path in the project. `undefined` if the engine was not installed from a tarball. */
export function keepTarball(root: string): { path: string; isNew: boolean } | undefined {
  const read = (file: string): unknown =>
    existsSync(join(root, file)) ? parsedJson(readFileSync(join(root, file), "utf8")) : undefined;
  const { restbound } = membersOf(membersOf(read("package.json")).dependencies);
  const [specifier, location = ""] = /^file:(.*\.(?:tgz|tar\.gz))$/.exec(String(restbound)) ?? [];
  const source = resolve(root, location);
  if (specifier === undefined || !existsSync(source)) return undefined;
  const below = relative(root, source);
  if (!below.startsWith("..") && !isAbsolute(below))
    return { path: below.split(sep).join("/"), isNew: false };
  const path = `${folder}/${basename(source)}`;
  mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(source, join(root, path));
  for (const file of ["package.json", "package-lock.json"]) {
    const value = read(file);
    if (value !== undefined)
      replaceFile(
        join(root, file),
        `${JSON.stringify(withSpecifier(value, specifier, `file:${path}`), null, 2)}\n`,
      );
  }
  return { path, isNew: true };
}

/** Whether git ignores the file. GitHub's .gitignore template for Node ignores `*.tgz`. */
export const isIgnored = (root: string, path: string): boolean =>
  spawnSync("git", ["check-ignore", "--quiet", "--", path], { cwd: root, stdio: "ignore" }).status === 0;

/** Replaces the version specifier `from` by `to` everywhere in `package.json` or the lock file. */
function withSpecifier(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withSpecifier(each, from, to));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, withSpecifier(each, from, to)]),
    );
  return value === from ? to : value;
}
