/** `npm run codegen`: writes `generated/`, removes what is surplus. Findings are printed and nothing is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Diagnostic, SpecUnreadable } from "../spec/diagnostic.ts";
import { generate } from "./generate.ts";

export type Io = { out(line: string): void; error(line: string): void };

/** Exit code: 0 written, 1 findings. `root` is the project's folder. */
export async function run(root: string, io: Io): Promise<number> {
  try {
    const files = await generate(root);
    const changed = [...files].filter(([path, text]) => write(join(root, path), text));
    const surplus = generatedFiles(root).filter((path) => !files.has(path));
    for (const path of surplus) rmSync(join(root, path));
    for (const [path] of changed) io.out(`wrote ${path}`);
    for (const path of surplus) io.out(`removed ${path}`);
    if (changed.length + surplus.length === 0) io.out("generated/ is up to date");
    return 0;
  } catch (error) {
    if (!(error instanceof SpecUnreadable)) throw error;
    for (const diagnostic of error.diagnostics) io.error(line(diagnostic));
    io.error(`${error.diagnostics.length} finding(s): nothing was generated`);
    return 1;
  }
}

function line({ rule, coordinate, message, hint, schema, rest }: Diagnostic): string {
  const places = [schema, rest].flatMap((place) =>
    place ? [`spec/${place.file}:${place.line}:${place.column}`] : [],
  );
  return `${places.join("  ")}\n  ${rule} at ${coordinate}: ${message}\n  ${hint}`;
}

function write(path: string, text: string): boolean {
  try {
    if (readFileSync(path, "utf8") === text) return false;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  writeFileSync(path, text);
  return true;
}

/** All files below `generated/`, relative to the root. */
export function generatedFiles(root: string): string[] {
  const folder = join(root, "generated");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

if (import.meta.main) {
  process.exitCode = await run(process.cwd(), { out: console.log, error: console.error });
}
