/** The files of a spec folder: read one by its name, list a folder below it. On disk here; at a git ref in `src/check`. */
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { unreadable } from "./diagnostic.ts";
import { folderReader } from "./load.ts";
import type { ReadFile } from "./rest-document.ts";

export type SpecFiles = {
  readonly read: ReadFile;
  /** Names below the spec folder of the files at any depth of a folder, sorted; none if there is no such folder. */
  readonly list: (folder: string) => string[];
};

export const folderFiles = (folder: string): SpecFiles => ({
  read: folderReader(folder),
  list: (name) => {
    try {
      const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
        .sort();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return [];
      throw unreadable(name, code === "ENOTDIR" ? "is a file, not a folder" : `cannot be read (${code})`);
    }
  },
});

/** The saved operations' texts by name; see `readSavedOperations`. */
export function savedOperationTexts({ read, list }: SpecFiles): Map<string, string> {
  const names = list("operations").filter((name) => /\.(graphql|gql)$/.test(name));
  return new Map(names.map((name) => [name, read(name) ?? ""]));
}
