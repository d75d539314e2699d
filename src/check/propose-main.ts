/** `npm run propose -- <operationId>…`. Exit codes are those of `check`. */
import { join } from "node:path";
import { type Io, namesIn, processIo, runCommand } from "../spec/command.ts";
import { loadSpec, provedModel } from "../spec/load.ts";
import { folderFiles } from "../spec/spec-files.ts";
import { propose } from "./propose.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("propose", io, () => {
    const ids = namesIn(argv, "npm run propose -- <operationId>…");
    const model = provedModel(loadSpec(folderFiles(join(io.root, "spec")).read));
    io.out(ids.map((id) => propose(model, id)).join("\n\n"));
    return 0;
  });

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);
