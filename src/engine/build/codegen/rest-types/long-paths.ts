/**
 * Short names for long paths. The bundler and openapi-typescript keep the place of each node as text, in a Set. V8 hashes a
 * text of more than 16,383 characters by its length alone, so that thousands of nodes below a long path are compared with
 * each other.
 */
import type { RestOperation } from "../../openapi/operation.ts";

/** No known document has a path as long. */
const longest = 2_000;

/** Path → the name that stands for it in the bundle. A short path has none. */
export function shortenPaths(operations: readonly RestOperation[]): ReadonlyMap<string, string> {
  const paths = new Set(operations.map(({ path }) => path));
  let prefix = "/long-path-";
  while ([...paths].some((path) => path.startsWith(prefix))) prefix += "-";
  const long = [...paths].filter(({ length }) => length > longest);
  return new Map(long.map((path, index) => [path, `${prefix}${index}`]));
}

/** The text of types with the paths themselves. */
export function restoreLongPaths(types: string, names: ReadonlyMap<string, string>): string {
  let text = types;
  for (const [path, name] of names) text = text.replaceAll(JSON.stringify(name), () => JSON.stringify(path));
  return text;
}
