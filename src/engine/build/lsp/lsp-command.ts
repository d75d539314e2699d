/** `restbound lsp`: a language server (LSP 3.17) over stdin and stdout for the files of `spec/`. */
import { createConnection } from "vscode-languageserver/node";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { serveEditor } from "./language-server.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound lsp", argv, io, (line, does) =>
    line
      .description(
        "Serves an editor over stdin and stdout: findings, quick fixes, completion, hover and go to definition in spec/.",
      )
      // LSP clients append these two options
      .option("--stdio", "the transport, which is the only one")
      .option("--clientProcessId <id>", "ends with this process")
      .action(
        does(() => {
          const connection = createConnection(process.stdin, process.stdout);
          serveEditor(connection, () => io.today ?? new Date().toISOString().slice(0, 10));
          // the connection ends the process, so the promise never resolves
          return new Promise<number>(() => undefined);
        }),
      ),
  );
