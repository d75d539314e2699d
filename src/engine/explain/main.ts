/** `restbound explain <field or saved operation>…`. */
import { join } from "node:path";
import { provedModel } from "../bind/load.ts";
import { folderFiles } from "../bind/spec-files.ts";
import { loadSnapshot } from "../bind/spec-snapshot.ts";
import { exitCodes, type Io, runCommand } from "../cli/command.ts";
import { printable } from "../cli/printable.ts";
import { explain } from "./explain.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound explain", argv, io, (line, does) =>
    line
      .description("Prints the REST calls behind fields and saved operations.")
      .argument(
        "<name...>",
        'a field, such as Query.me, the name of a saved operation, or a REST operation: its operationId, or "GET /things"',
      )
      .addHelpText("after", exitCodes)
      .action(
        does((names: readonly string[]) => {
          const snapshot = loadSnapshot(folderFiles(join(io.root, "spec")));
          const model = provedModel(snapshot);
          io.out(
            names.map((name) => explain(model, snapshot.saved, name).map(printable).join("\n")).join("\n\n"),
          );
          return 0;
        }),
      ),
  );
