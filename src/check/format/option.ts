/** The option `--format` of `check`: the formats, and the destination of each. */
import { InvalidArgumentError, Option } from "commander";
import { nearestSuggestion } from "../../cli/nearest-suggestion.ts";
import { UsageError } from "../../cli/usage-error.ts";

const formats = ["text", "json", "github", "markdown", "sarif"] as const;

/** A report in one format, to the standard output or to a file. */
export type Output = { readonly format: (typeof formats)[number]; readonly file?: string };

const standard: readonly Output[] = [{ format: "text" }];

export const formatOption = (): Option =>
  new Option(
    "--format <format>",
    `${formats.join(", ")}; with =<file> after it into a file; may be given several times`,
  )
    .default(standard, "text")
    .argParser((value: string, before: readonly Output[]) => [
      ...(before === standard ? [] : before),
      readOutput(value),
    ]);

function readOutput(given: string): Output {
  const [name = "", ...rest] = given.split("=");
  const format = formats.find((each) => each === name);
  if (!format)
    throw new InvalidArgumentError(
      `The formats are ${formats.join(", ")}${nearestSuggestion(name, formats)}`,
    );
  const file = rest.join("=");
  if (rest.length > 0 && file === "") throw new InvalidArgumentError("A file name is missing after the =.");
  return { format, ...(file !== "" && { file }) };
}

/** Throws `UsageError` where two reports would be mixed. */
export function oneToStandardOutput(outputs: readonly Output[]): readonly Output[] {
  if (outputs.filter(({ file }) => file === undefined).length > 1)
    throw new UsageError(["--format: only one format can go to the standard output; give the others a file"]);
  return outputs;
}
