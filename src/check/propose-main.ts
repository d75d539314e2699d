/** `npm run propose -- <operationId>…`. Exit codes are those of `check`. */
import { join } from "node:path";
import { ConfigError } from "../config.ts";
import { runCommand } from "../spec/failure.ts";
import { provedModel } from "../spec/load.ts";
import { folderFiles } from "../spec/spec-files.ts";
import type { Io } from "./io.ts";
import { propose } from "./propose.ts";
import { loadSide } from "./side.ts";

const usage = "npm run propose -- <operationId>…";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("propose", io, () => {
    if (argv.length === 0 || argv.some((name) => name.startsWith("-"))) throw new ConfigError([usage]);
    const model = provedModel(loadSide(folderFiles(join(io.root, "spec"))));
    io.out(argv.map((id) => propose(model, id)).join("\n\n"));
    return 0;
  });

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), {
    root: process.cwd(),
    out: console.log,
    error: console.error,
  });
}
