/**
 * Stack traces in log lines name the sources of a bundle, by the maps beside it. Node's own switch for it
 * (`--enable-source-maps`) reads all maps at the start, a third of its time; here a map is read when a line needs it.
 */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapping } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Returns a function that replaces places in the program's files by places in their sources. A line may hold text of a
 * client, so no file outside of the program's folder is read.
 */
export function createSourceMapper(folder = dirname(process.argv[1] ?? "")): (line: string) => string {
  const base = pathToFileURL(join(folder, "/")).href;
  const place = new RegExp(`${base.replace(/[^\w/]/g, "\\$&")}([\\w.-]+\\.js):(\\d+):(\\d+)`, "g");
  const maps = new Map<string, SourceMap>();
  const mapOf = (file: string): SourceMap | undefined => {
    const path = join(folder, `${file}.map`);
    if (!maps.has(file) && existsSync(path))
      maps.set(file, new SourceMap(JSON.parse(readFileSync(path, "utf8"))));
    return maps.get(file);
  };
  return (line) =>
    line.replaceAll(place, (given, file: string, row: string, column: string) => {
      const found: Partial<SourceMapping> = mapOf(file)?.findEntry(Number(row) - 1, Number(column) - 1) ?? {};
      const { originalSource: source, originalLine = 0, originalColumn = 0 } = found;
      return source ? `${new URL(source, base)}:${originalLine + 1}:${originalColumn + 1}` : given;
    });
}
