/** Where a project stands in its git repository. CI looks for files from the top of that. */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The path of `root` below the top of its git repository, with a `/` behind it: empty at the top, and without a repository. */
export function pathBelowRepository(root: string): string {
  let top = root;
  while (!existsSync(join(top, ".git"))) {
    if (top === dirname(top)) return "";
    top = dirname(top);
  }
  const below = relative(top, root).split(sep).join("/");
  return below === "" ? "" : `${below}/`;
}
