/** Parses command lines with commander, which throws here instead of ending the process. */
import { Command, CommanderError, Help, InvalidArgumentError, type Option } from "commander";
import { UsageError } from "./command-failure.ts";
import { didYouMean } from "./nearest-suggestion.ts";

/** Width of help texts in columns, regardless of the terminal. */
const helpWidth = 100;

/** `script`: how a user starts the command, for example `restbound check`, `npm start` or `npm run suite -- faults`. */
export function createCommandLine(script: string, out: (text: string) => void): Command {
  return new Command(/^npm [^-]*$/.test(script) ? `${script} --` : script)
    .exitOverride()
    .helpCommand(false)
    .helpOption("-h, --help", "prints this text")
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: () => undefined,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => false,
    });
}

/** Appends `(required)`, because commander does not show which options are required. */
const describeOption = (option: Option): string =>
  `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`;

/** Runs the action that the arguments select, or prints the help. Throws `UsageError` for invalid arguments. */
export async function parseCommandLine(line: Command, argv: readonly string[]): Promise<void> {
  try {
    await line.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError([mistakeIn(line, argv, error)]);
  }
}

/** Returns a line that states the mistake, the valid name most similar to a misspelt one, and how to get help. */
function mistakeIn(line: Command, argv: readonly string[], { code, message }: CommanderError): string {
  const commands = line.commands.map((each) => each.name()).join(", ");
  const unknown = /unknownOption|missingMandatory/.test(code) && unknownOption(line, argv);
  const mistake =
    unknown ||
    (code === "commander.help" && "a command is missing") ||
    message
      .replace(/^error: /, "")
      .replace(/\n\(Did you mean (.+)\?\)$/, "; did you mean $1?")
      .replace(/\.$/, "");
  const known = commands && /help|unknownCommand/.test(code) ? `; the commands are ${commands}` : "";
  return `${mistake}${known} (${line.name()} --help explains)`;
}

/** Returns the message for an unknown option. When commander reports a missing option, the user has often misspelt it. */
function unknownOption(line: Command, argv: readonly string[]): string | undefined {
  const options = [line, ...line.commands].flatMap((each) => each.options.flatMap(({ long }) => long ?? []));
  const known = [...options, "--help"];
  const given = argv.map((word) => word.split("=")[0] ?? "");
  const wrong = given.find((word) => /^--./.test(word) && !known.includes(word));
  return wrong === undefined ? undefined : `unknown option '${wrong}'${didYouMean(wrong, known)}`;
}

/** Parser for options and arguments that must not be empty. */
export function nonEmpty(value: string): string {
  if (value === "") throw new InvalidArgumentError("It is empty.");
  return value;
}
