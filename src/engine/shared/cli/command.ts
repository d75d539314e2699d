/** Runs every command of the package, so that all commands have the same exit codes, error output and help. */
import { join } from "node:path";
import type { Command } from "commander";
import { readRegularFile } from "../regular-file.ts";
import { commandFailure, type Failure, failureLines } from "./command-failure.ts";
import { createCommandLine, parseCommandLine } from "./command-line.ts";

/** The environment of a command; tests pass their own. */
export type Io = {
  /** The project's folder, to which file names are relative. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly error: (line: string) => void;
  /** Replaces the progress line on a terminal. An empty text clears the line. */
  readonly progress?: (text: string) => void;
  readonly colour?: boolean;
  /** The day that counts as today: `YYYY-MM-DD`. The default is the current day (UTC). */
  readonly today?: string;
};

/** The surroundings of a command that a user starts in a shell. */
export const processIo: Io = {
  root: process.cwd(),
  env: process.env,
  out: console.log,
  error: console.error,
  ...(process.stderr.isTTY && { progress: (text: string) => void process.stderr.write(`\r\u001b[K${text}`) }),
  colour: process.stdout.hasColors?.() === true,
};

/** Turns a function that returns an exit code into a commander action. */
export type CommandAction = <Given extends unknown[]>(
  work: (...given: Given) => number | Promise<number>,
) => (...given: Given) => Promise<void>;

/**
 * Runs a command and returns its exit code: 0 done, 1 findings or a rejection, 2 usage or configuration, 3 an unreadable spec
 * file, 4 a bug in restbound. `describe` declares options, arguments and actions; `io.failed` is called with the failure, if any.
 */
export async function runCommand(
  script: string,
  argv: readonly string[],
  io: Io & { readonly failed?: (failure: Failure) => void },
  describe: (line: Command, does: CommandAction) => void,
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
    io.failed?.(failure);
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
Exit code: 0 done, 1 findings or a rejection, 2 usage or configuration, 3 an unreadable spec file,
4 a bug in restbound (DEBUG=1 prints the stack trace).`;
