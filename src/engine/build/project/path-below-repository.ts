/** The location of a project in its git repository. CI expects file names relative to the repository's root. */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The path of `root` relative to its git repository, with a trailing `/`; empty for the repository's root or without one. */
export function pathBelowRepository(root: string): string {
  let top = root;
  while (!existsSync(join(top, ".git"))) {
    if (top === dirname(top)) return "";
    top = dirname(top);
  }
  const below = relative(top, root).split(sep).join("/");
  return below === "" ? "" : `${below}/`;
}
