/** The command `restbound explain`. */
import { Option } from "commander";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { didYouMean } from "../../shared/cli/nearest-suggestion.ts";
import { printable } from "../../shared/cli/printable.ts";
import type { Model } from "../bind/model.ts";
import { projectAt } from "../project/project.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import { callGraph } from "./call-graph.ts";
import { explain } from "./explain.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound explain", argv, io, (line, does) =>
    line
      .description(
        "Prints the REST call of a field (without those of its links), or all REST calls of a saved operation.",
      )
      .argument(
        "<name...>",
        'a field, such as Query.me, the name of a saved operation, or a REST operation: its operationId, or "GET /things"',
      )
      .addOption(
        new Option("--format <format>", "mermaid: draws the calls of saved operations by level")
          .choices(["text", "mermaid"])
          .default("text"),
      )
      .action(
        does((names: readonly string[], { format }: { readonly format: string }) => {
          const { model, saved } = projectAt(io.root).proved();
          const linesOf = format === "mermaid" ? draw : explain;
          io.out(names.map((name) => linesOf(model, saved, name).map(printable).join("\n")).join("\n\n"));
          return 0;
        }),
      ),
  );

/** Throws `UsageError` for an unknown saved operation. */
function draw(model: Model, saved: readonly SavedOperation[], name: string): string[] {
  const operation = saved.find((each) => each.name === name);
  if (operation) return callGraph(model, operation);
  const near = didYouMean(
    name,
    saved.map((each) => each.name),
  );
  throw new UsageError([
    `explain ${name}: is not a saved operation, and --format mermaid draws only these${near}`,
  ]);
}
