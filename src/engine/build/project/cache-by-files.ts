/** Caches a value that is computed from files. */
import type { SpecFiles } from "./spec-files.ts";

/**
 * Caches the last result of `make` until a file that it read or a folder that it listed changes. For processes that reload a
 * project after few of its files have changed.
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
