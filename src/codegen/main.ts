/** `npm run codegen`: writes `generated/`, removes what is surplus. Findings are printed and nothing is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { exitCodes, type Io, processIo, runCommand } from "../cli/command.ts";
import type { Results } from "./results.ts";

/** `results`: of the time before. */
export const run = (argv: readonly string[], io: Io, results?: Results): Promise<number> =>
  runCommand(
    "npm run codegen",
    argv,
    io,
    (line, does) =>
      line
        .description("Generates generated/ from spec/; removes files there that are not generated any more.")
        .addHelpText("after", exitCodes)
        .action(does(() => update(io, results))),
    ({ exitCode, faults }) => {
      if (exitCode === 1)
        io.error(`${faults.length} ${faults.length === 1 ? "finding" : "findings"}: nothing was generated`);
    },
  );

/** Codegen's libraries are most of the start-up: loaded after the start, they come from the compile cache. */
async function update({ root, out }: Io, results?: Results): Promise<number> {
  const { generate } = await import("./generate.ts");
  const files = await generate(root, results);
  const changed = [...files].filter(([path, text]) => write(join(root, path), text));
  const surplus = generatedFiles(root).filter((path) => !files.has(path));
  for (const path of surplus) rmSync(join(root, path));
  for (const [path] of changed) out(`wrote ${path}`);
  for (const path of surplus) out(`removed ${path}`);
  if (changed.length + surplus.length === 0) out("generated/ is up to date");
  return 0;
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
  enableCompileCache();
  process.exitCode = await run(process.argv.slice(2), processIo);
}
