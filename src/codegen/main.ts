/** `npm run codegen`: writes `generated/`, removes what is surplus. Findings are printed and nothing is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError } from "../config.ts";
import { type Diagnostic, SpecUnreadable } from "../spec/diagnostic.ts";
import { failureLines, failureOf } from "../spec/failure.ts";
import { generate } from "./generate.ts";

/** `root` is the project's folder. */
type Io = { readonly root: string; out(line: string): void; error(line: string): void };

/** Exit code, as of `check`: 0 written, 1 findings, 2 usage or configuration, 3 an unreadable file, 4 our fault. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const { root } = io;
  try {
    if (argv.length > 0) throw new ConfigError(["npm run codegen takes no arguments"]);
    const files = await generate(root);
    const changed = [...files].filter(([path, text]) => write(join(root, path), text));
    const surplus = generatedFiles(root).filter((path) => !files.has(path));
    for (const path of surplus) rmSync(join(root, path));
    for (const [path] of changed) io.out(`wrote ${path}`);
    for (const path of surplus) io.out(`removed ${path}`);
    if (changed.length + surplus.length === 0) io.out("generated/ is up to date");
    return 0;
  } catch (error) {
    return refused(error, io);
  }
}

function refused(error: unknown, io: Io): number {
  const findings = error instanceof SpecUnreadable ? error.diagnostics : [];
  if (findings.length === 0 || findings.some(({ rule }) => rule === "spec-unreadable")) {
    const failure = failureOf(error, "codegen");
    for (const line of failureLines(failure)) io.error(line);
    return failure.exitCode;
  }
  for (const diagnostic of findings) io.error(line(diagnostic));
  io.error(`${findings.length} finding(s): nothing was generated`);
  return 1;
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
  process.exitCode = await run(process.argv.slice(2), {
    root: process.cwd(),
    out: console.log,
    error: console.error,
  });
}
