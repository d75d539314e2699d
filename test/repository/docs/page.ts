/** A page of the documentation as its tests read it: code blocks by language, tables by their header. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

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

/** A module of a guide, and what it prints. */
interface Module {
  readonly name: string;
  readonly code: string;
  readonly output: string | undefined;
}

/** The modules of a page that an output follows, and those of a folder, which end with their output. */
export function modulesOf(page: string, folder: string): Module[] {
  const shown = page.matchAll(/^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm);
  const ofPage = [...shown].map(([, code = "", output], index) => ({
    name: `page-${index}.ts`,
    code,
    output,
  }));
  const ofFolder = globSync(`${folder}/*.ts`, { cwd: root })
    .sort()
    .map((path) => {
      const code = read(path);
      return { name: basename(path), code, output: /\/\* prints\n([\s\S]*?)\*\/\n$/.exec(code)?.[1] };
    });
  return [...ofPage, ...ofFolder];
}

/** The other blocks of a page in TypeScript that are not lines of one of its modules, and the files of the folder without a link. */
export function foreignExcerpts(page: string, folder: string): string[] {
  const modules = modulesOf(page, folder).map(({ code }) => code.replaceAll(/^ +/gm, ""));
  const isExcerpt = (code: string): boolean =>
    modules.some((whole) => whole.includes(code.replaceAll(/^ +/gm, "")));
  const files = globSync(`${folder}/*`, { cwd: root });
  return [
    ...blocksOf(page, "ts").filter((code) => !isExcerpt(code)),
    ...files.filter((path) => !page.includes(`](../../${path})`)),
  ];
}

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
