/**
 * The files of a spec folder: read one by its name, list a folder below it. On disk here, and nowhere else in `src/spec`;
 * at a git ref in `src/check`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { unreadable } from "./diagnostic.ts";
import type { ReadFile } from "./rest-document.ts";

export type SpecFiles = {
  readonly read: ReadFile;
  /** Names below the spec folder of the files at any depth of a folder, sorted; none if there is no such folder. */
  readonly list: (folder: string) => string[];
};

/** The files below `folder` on disk; what exists and cannot be read throws `SpecUnreadable`. */
export const folderFiles = (folder: string): SpecFiles => ({
  read: (name) => {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch (error) {
      return absent(name, error, { EISDIR: "is a folder, not a file" });
    }
  },
  list: (name) => {
    try {
      const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
        .sort();
    } catch (error) {
      return absent(name, error, { ENOTDIR: "is a file, not a folder" }) ?? [];
    }
  },
});

/** `undefined` for what does not exist; throws `SpecUnreadable` for what does, in the words for its error code. */
function absent(name: string, error: unknown, words: Readonly<Record<string, string>>): undefined {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return undefined;
  throw unreadable(name, words[code] ?? `cannot be read (${code})`);
}

/** The saved operations' texts by name; see `readSavedOperations`. */
export function savedOperationTexts({ read, list }: SpecFiles): Map<string, string> {
  const names = list("operations").filter((name) => /\.(graphql|gql)$/.test(name));
  return new Map(names.map((name) => [name, read(name) ?? ""]));
}
