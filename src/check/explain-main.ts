/** `npm run explain -- <field or saved operation>…`. Exit codes are those of `check`. */
import { join } from "node:path";
import { type Io, namesIn, processIo, runCommand } from "../spec/command.ts";
import { provedModel } from "../spec/load.ts";
import { folderFiles } from "../spec/spec-files.ts";
import { explain } from "./explain.ts";
import { loadSide } from "./side.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("explain", io, () => {
    const names = namesIn(argv, "npm run explain -- <Type.field or saved operation>…");
    const side = loadSide(folderFiles(join(io.root, "spec")));
    const model = provedModel(side);
    io.out(names.map((name) => explain(model, side.saved, name).join("\n")).join("\n\n"));
    return 0;
  });

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);
