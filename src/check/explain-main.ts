/** `npm run explain -- <field or saved operation>…`. Exit codes are those of `check`. */
import { join } from "node:path";
import { ConfigError } from "../config.ts";
import { runCommand } from "../spec/failure.ts";
import { provedModel } from "../spec/load.ts";
import { folderFiles } from "../spec/spec-files.ts";
import { explain } from "./explain.ts";
import type { Io } from "./io.ts";
import { loadSide } from "./side.ts";

const usage = "npm run explain -- <Type.field or saved operation>…";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("explain", io, () => {
    if (argv.length === 0 || argv.some((name) => name.startsWith("-"))) throw new ConfigError([usage]);
    const side = loadSide(folderFiles(join(io.root, "spec")));
    const model = provedModel(side);
    io.out(argv.map((name) => explain(model, side.saved, name).join("\n")).join("\n\n"));
    return 0;
  });

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), {
    root: process.cwd(),
    out: console.log,
    error: console.error,
  });
}
