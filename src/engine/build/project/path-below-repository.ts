/** Locates a project in its git repository. */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/**
 * Returns the path of `root` in its git repository, with a trailing `/`, because CI expects file names relative to the
 * repository. Returns an empty path if `root` is the repository itself or is not in a repository.
 */
export function pathBelowRepository(root: string): string {
  let top = root;
  while (!existsSync(join(top, ".git"))) {
    if (top === dirname(top)) return "";
    top = dirname(top);
  }
  const below = relative(top, root).split(sep).join("/");
  return below === "" ? "" : `${below}/`;
}
