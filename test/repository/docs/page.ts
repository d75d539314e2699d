/** A page of the documentation as its tests read it: code blocks by language, tables by their header. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../../..");
export const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The paths of all pages that a reader of the repository finds. */
export const pages = globSync(["*.md", "docs/**/*.md", "examples/*/README.md", "src/engine/README.md"], {
  cwd: root,
}).sort();

/** What a page shows as code: the lines of its shell blocks, without comments, and what stands between backticks. */
export function codeOf(page: string): string[] {
  const block = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
  const shell = [...page.matchAll(block)].flatMap(([, name, text = ""]) =>
    name === "sh"
      ? text
          .replaceAll("\\\n", " ")
          .replaceAll(/(?:^|\s)#.*$/gm, "")
          .split("\n")
      : [],
  );
  const inline = page.replaceAll(block, "").match(/`[^`]+`/g) ?? [];
  return [...shell, ...inline.map((text) => text.slice(1, -1).replaceAll(/\s+/g, " "))];
}

/** The code blocks of a language, in order. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );

/** The cells of the table whose header begins so. */
export function tableOf(page: string, header: string): string[][] {
  const rows = page.split(`| ${header} |`)[1]?.split("\n\n")[0]?.split("\n").slice(2) ?? [];
  return rows.filter(Boolean).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
