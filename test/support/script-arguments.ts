/** Parses the arguments of benchmarks and other scripts of the tests, with `--help`, as for any command. */
import { type Command, InvalidArgumentError } from "commander";
import { processIo, runCommand } from "../../src/engine/shared/cli/command.ts";

/** Exits if the arguments are invalid or request help. */
export async function readArguments(script: string, describe: (line: Command) => Command): Promise<Command> {
  const read: Command[] = [];
  const code = await runCommand(script, process.argv.slice(2), processIo, (line, does) =>
    describe(line).action(does(() => read.push(line) - 1)),
  );
  const [line] = read;
  return line ?? process.exit(code);
}

export const positive = (text: string): number => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError("wants a number above 0");
  return Number(text);
};
