/** `npm run codegen`: writes `generated/`, removes what is surplus. Findings are printed and nothing is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError } from "../config.ts";
import { type Io, processIo, runCommand } from "../spec/command.ts";
import { generate } from "./generate.ts";

/** Exit code, as of `check`: 0 written, 1 findings, 2 usage or configuration, 3 an unreadable file, 4 our fault. */
export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand(
    "codegen",
    io,
    async () => {
      if (argv.length > 0) throw new ConfigError(["npm run codegen takes no arguments"]);
      const { root } = io;
      const files = await generate(root);
      const changed = [...files].filter(([path, text]) => write(join(root, path), text));
      const surplus = generatedFiles(root).filter((path) => !files.has(path));
      for (const path of surplus) rmSync(join(root, path));
      for (const [path] of changed) io.out(`wrote ${path}`);
      for (const path of surplus) io.out(`removed ${path}`);
      if (changed.length + surplus.length === 0) io.out("generated/ is up to date");
      return 0;
    },
    ({ exitCode, faults }) => {
      if (exitCode === 1) io.error(`${faults.length} finding(s): nothing was generated`);
    },
  );

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

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);
