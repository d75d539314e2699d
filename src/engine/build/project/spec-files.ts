/**
 * Reads and lists the files of a spec folder. `folderFiles` reads from disk, `src/engine/build/check` from a git ref.
 */
import { join, posix } from "node:path";
import { listFiles } from "../../shared/list-files.ts";
import { own } from "../../shared/own.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import { unreadableSpec } from "../diagnostic.ts";
import type { ReadFile } from "../openapi/document.ts";

export type SpecFiles = {
  readonly read: ReadFile;
  /** Returns the sorted paths of all files below `folder`, relative to the spec folder; none if `folder` does not exist. */
  readonly list: (folder: string) => string[];
};

/** Reads each file once, because many findings show lines of the same file. Files do not change during a run. */
export function readOnce<Content>(read: (name: string) => Content): (name: string) => Content {
  const contents = new Map<string, Content>();
  return (name) => {
    if (!contents.has(name)) contents.set(name, read(name));
    return contents.get(name) as Content;
  };
}

/** Reads from disk. Throws `UnreadableSpec` for a file that exists but cannot be read. */
export const folderFiles = (folder: string): SpecFiles => ({
  read: readOnce((name) => {
    try {
      return readRegularFile(join(folder, name));
    } catch (error) {
      return absent(name, error);
    }
  }),
  list: (name) => {
    try {
      return listFiles(join(folder, name)).map((file) => posix.join(name, file));
    } catch (error) {
      return absent(name, error, { ENOTDIR: "is a file, not a folder" }) ?? [];
    }
  },
});

/** Reads from memory. `texts`: the files, by name, of a spec folder that is not written yet. */
export const textFiles = (texts: ReadonlyMap<string, string>): SpecFiles => ({
  read: (name) => texts.get(name),
  list: (folder) => namesBelow(folder, [...texts.keys()]),
});

/** Returns the files together with `texts`, which are not written yet. A text replaces the file of the same name. */
export const withTexts = ({ read, list }: SpecFiles, texts: ReadonlyMap<string, string>): SpecFiles => ({
  read: (name) => texts.get(name) ?? read(name),
  list: (folder) => [...new Set([...list(folder), ...textFiles(texts).list(folder)])].sort(),
});

/** Implements `SpecFiles.list`: returns the given names that are below the folder. */
export const namesBelow = (folder: string, names: readonly string[]): string[] =>
  names.filter((name) => folder === "." || name.startsWith(`${folder}/`)).sort();

/** Returns `undefined` if the file or its folder does not exist. Throws `UnreadableSpec` for any other error. */
function absent(name: string, error: unknown, words: Readonly<Record<string, string>> = {}): undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw unreadableSpec(name, code === undefined ? message : (own(words, code) ?? `cannot be read (${code})`));
}

/** Returns the texts of the saved operations, by file name. */
export function savedOperationTexts({ read, list }: SpecFiles): Map<string, string> {
  const names = list("operations").filter((name) => /\.(graphql|gql)$/.test(name));
  return new Map(names.map((name) => [name, read(name) ?? ""]));
}
