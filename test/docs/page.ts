/** A page of the documentation as its tests read it: code blocks by language, tables by their header. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");
export const read = (path: string): string => readFileSync(join(root, path), "utf8");

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
