/** Lists all files below a folder, or all folders below it, recursively. Symbolic links are skipped. */
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** File names relative to the folder, `/`-separated and sorted. Throws Node's error if the folder cannot be read. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();

/** Returns the path of the folder and of all folders below it. Throws Node's error if a folder cannot be read. */
export const listFolders = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [],
  ),
];
