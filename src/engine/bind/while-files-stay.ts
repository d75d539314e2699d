/**
 * Keeps a value that was made from files as long as the files stay the same, for a process that reads them again and
 * again.
 */
import type { ReadFile } from "../openapi/document.ts";

/** The returned function calls `make` only if a file that the last value was made from has another text now. */
export function whileFilesStay<T>(make: (read: ReadFile) => T): (read: ReadFile) => T {
  let last: { readonly value: T; readonly texts: ReadonlyMap<string, string | undefined> } | undefined;
  return (read) => {
    const isSame = last && [...last.texts].every(([name, text]) => read(name) === text);
    if (last && isSame) return last.value;
    const texts = new Map<string, string | undefined>();
    const value = make((name) => {
      const text = read(name);
      texts.set(name, text);
      return text;
    });
    last = { value, texts };
    return value;
  };
}
