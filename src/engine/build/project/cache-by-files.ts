/**
 * Keeps a value that was made from files as long as the files stay the same, for a process that reads them again and
 * again.
 */
import type { SpecFiles } from "./spec-files.ts";

/**
 * The returned function calls `make` only if a file that the last value was made from has another text now, or a folder
 * other files.
 */
export function cacheByFiles<T>(make: (files: SpecFiles) => T): (files: SpecFiles) => T {
  let last: { readonly value: T; readonly seen: readonly ((files: SpecFiles) => boolean)[] } | undefined;
  return (files) => {
    if (last?.seen.every((isSame) => isSame(files))) return last.value;
    const seen: ((files: SpecFiles) => boolean)[] = [];
    const value = make({
      read: (name) => {
        const text = files.read(name);
        seen.push(({ read }) => read(name) === text);
        return text;
      },
      list: (folder) => {
        const names = files.list(folder);
        seen.push(({ list }) => `${list(folder)}` === `${names}`);
        return names;
      },
    });
    last = { value, seen };
    return value;
  };
}
