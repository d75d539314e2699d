/** `npm run propose -- <operationId>…`. */
import { join } from "node:path";
import { loadSpec, provedModel } from "../bind/load.ts";
import { folderFiles } from "../bind/spec-files.ts";
import { exitCodes, type Io, processIo, runCommand } from "../cli/command.ts";
import { escaped } from "../cli/printable.ts";
import { propose } from "./propose.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("npm run propose", argv, io, (line, does) =>
    line
      .description("Prints the SDL for REST operations that have no field yet, ready to paste.")
      .argument("<operationId...>", "REST operations of spec/openapi.yaml")
      .addHelpText("after", exitCodes)
      .action(
        does((ids: readonly string[]) => {
          const model = provedModel(loadSpec(folderFiles(join(io.root, "spec")).read));
          io.out(escaped(ids.map((id) => propose(model, id)).join("\n\n")));
          return 0;
        }),
      ),
  );

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);
