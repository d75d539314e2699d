/**
 * Maps stack traces in log lines from a bundle back to its sources. A source map is not read until a log line needs it. Node's
 * `--enable-source-maps` is not used: it reads all maps at the start, which takes a third of the start-up time.
 */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapping } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Returns a function that replaces locations in the bundle by locations in the sources. Only files in the program's folder are
 * read, because a line may contain a path that a client sent.
 */
export function createSourceMapper(folder = dirname(process.argv[1] ?? "")): (line: string) => string {
  const base = pathToFileURL(join(folder, "/")).href;
  const location = new RegExp(`${base.replace(/[^\w/]/g, "\\$&")}([\\w.-]+\\.js):(\\d+):(\\d+)`, "g");
  const maps = new Map<string, SourceMap>();
  const mapOf = (file: string): SourceMap | undefined => {
    const path = join(folder, `${file}.map`);
    if (!maps.has(file) && existsSync(path))
      maps.set(file, new SourceMap(JSON.parse(readFileSync(path, "utf8"))));
    return maps.get(file);
  };
  return (line) =>
    line.replaceAll(location, (given, file: string, row: string, column: string) => {
      const found: Partial<SourceMapping> = mapOf(file)?.findEntry(Number(row) - 1, Number(column) - 1) ?? {};
      const { originalSource: source, originalLine = 0, originalColumn = 0 } = found;
      return source ? `${new URL(source, base)}:${originalLine + 1}:${originalColumn + 1}` : given;
    });
}
