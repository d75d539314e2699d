/** What the commands over the spec folder have in common: what they are handed, and how they end. */
import { ConfigError } from "../config.ts";
import { type Failure, failureLines, failureOf } from "./failure.ts";

/** What a command is handed: its folder, its outputs and the day. */
export type Io = {
  /** The project's folder. */
  readonly root: string;
  readonly out: (text: string) => void;
  readonly error: (line: string) => void;
  /** Whether the output shows colours. */
  readonly colour?: boolean;
  /** `YYYY-MM-DD`; the day of the clock (UTC) if it is left out. */
  readonly today?: string;
};

/** What a command started by npm is handed. */
export const processIo: Io = {
  root: process.cwd(),
  out: console.log,
  error: console.error,
  colour: process.stdout.hasColors?.() === true,
};

/** Runs a command and answers its exit code; what ends it is told line by line, and to `also`. */
export async function runCommand(
  name: string,
  { error: tell }: Pick<Io, "error">,
  command: () => number | Promise<number>,
  also?: (failure: Failure) => void,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    const failure = failureOf(error, name);
    for (const line of failureLines(failure)) tell(line);
    also?.(failure);
    return failure.exitCode;
  }
}

/** The names that a command is given; throws its usage when there are none, or options, which it has not. */
export function namesIn(argv: readonly string[], usage: string): readonly string[] {
  if (argv.length === 0 || argv.some((name) => name.startsWith("-")))
    throw new ConfigError([`usage: ${usage}`]);
  return argv;
}
