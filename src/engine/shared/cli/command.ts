/** The frame of every command: `run(argv, io)` → exit code, with one way to fail and one way to ask for help. */
import { join } from "node:path";
import type { Command } from "commander";
import { readRegularFile } from "../regular-file.ts";
import { commandFailure, type Failure, failureLines } from "./command-failure.ts";
import { createCommandLine, parseCommandLine } from "./command-line.ts";

/** The surroundings of a command; a test hands in its own. */
export type Io = {
  /** The project's folder; relative file names start there. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly error: (line: string) => void;
  /** Shows on a terminal what a command is at, instead of what it showed before; "" takes it away. */
  readonly progress?: (text: string) => void;
  /** Whether the output shows colours. */
  readonly colour?: boolean;
  /** `YYYY-MM-DD`; the day of the clock (UTC) if it is left out. */
  readonly today?: string;
};

/** The surroundings of a command that a shell starts. */
export const processIo: Io = {
  root: process.cwd(),
  env: process.env,
  out: console.log,
  error: console.error,
  ...(process.stderr.isTTY && { progress: (text: string) => void process.stderr.write(`\r\u001b[K${text}`) }),
  colour: process.stdout.hasColors?.() === true,
};

/** Makes an action of a function that returns its exit code. */
export type CommandAction = <Given extends unknown[]>(
  work: (...given: Given) => number | Promise<number>,
) => (...given: Given) => Promise<void>;

/**
 * Runs a command and returns its exit code: 0 done, 1 findings or a refusal, 2 usage or configuration, 3 an unreadable
 * spec file, 4 a fault of ours. `describe` gives the line its options, arguments and actions; `also` is called with a
 * failure.
 */
export async function runCommand(
  script: string,
  argv: readonly string[],
  io: Io,
  describe: (line: Command, does: CommandAction) => void,
  also?: (failure: Failure) => void,
): Promise<number> {
  let exitCode = 0;
  try {
    const line = createCommandLine(script, io.out);
    describe(line, (work) => async (...given) => {
      exitCode = await work(...given);
    });
    line.addHelpText("after", exitCodesHelp);
    await parseCommandLine(line, argv);
    return exitCode;
  } catch (error) {
    const failure = commandFailure(error, script, Boolean(io.env.DEBUG));
    for (const line of failureLines(failure, specReader(io))) io.error(line);
    also?.(failure);
    return failure.exitCode;
  }
}

function specReader({ root }: Io): (file: string) => string | undefined {
  return (file) => {
    try {
      return readRegularFile(join(root, "spec", file));
    } catch {
      return undefined;
    }
  };
}

/** The end of every command's help text. */
export const exitCodesHelp = `
Exit code: 0 done, 1 findings or a refusal, 2 usage or configuration, 3 an unreadable spec file,
4 a fault of ours (DEBUG=1 shows where).`;
