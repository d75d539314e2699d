/** Parses the option `--format` of `check`: report formats, each with an optional file to write to. */
import { join, resolve, sep } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../../../shared/cli/command-failure.ts";
import { didYouMean } from "../../../shared/cli/nearest-suggestion.ts";

const formats = ["text", "json", "github", "gitlab", "markdown", "sarif"] as const;

/** Without `file`, the report goes to the standard output. */
export type Output = { readonly format: (typeof formats)[number]; readonly file?: string };

const standard: readonly Output[] = [{ format: "text" }];

export const formatOption = (): Option =>
  new Option("--format <format>", `${formats.join(", ")}; =<file> writes it to a file; may be repeated`)
    .default(standard, "text")
    .argParser((value: string, before: readonly Output[]) => [
      ...(before === standard ? [] : before),
      readOutput(value),
    ]);

function readOutput(given: string): Output {
  const [name = "", ...rest] = given.split("=");
  const format = formats.find((each) => each === name);
  if (!format)
    throw new InvalidArgumentError(`The formats are ${formats.join(", ")}${didYouMean(name, formats)}`);
  const file = rest.join("=");
  if (rest.length > 0 && file === "") throw new InvalidArgumentError("A file name is missing after the =.");
  return { format, ...(file !== "" && { file }) };
}

/** Throws `UsageError` if more than one report goes to the standard output. */
export function checkSingleStdout(outputs: readonly Output[]): readonly Output[] {
  if (outputs.filter(({ file }) => file === undefined).length > 1)
    throw new UsageError(["--format: only one format can go to the standard output; give the others a file"]);
  return outputs;
}

/** Throws `UsageError` if a report would overwrite an input file. `usage` is the argument of `--usage`. */
export function rejectInputFiles(outputs: readonly Output[], root: string, usage: string | undefined): void {
  const folders = ["spec", "generated"].map((folder) => join(root, folder) + sep);
  for (const { format, file } of outputs) {
    const path = file === undefined ? undefined : resolve(root, file);
    if (path === undefined) continue;
    const isRead = usage !== undefined && path === resolve(root, usage);
    if (isRead || folders.some((folder) => path.startsWith(folder)))
      throw new UsageError([
        `--format ${format}=${file}: the run reads this file, and a report would replace it`,
      ]);
  }
}
