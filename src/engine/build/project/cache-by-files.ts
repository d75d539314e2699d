/**
 * Caches a value computed from files as long as they are unchanged, for a process that reads them repeatedly.
 */
import type { SpecFiles } from "./spec-files.ts";

/**
 * The returned function calls `make` only if one of the files read for the last value has changed, or a listed folder contains
 * different files.
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
