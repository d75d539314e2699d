/** Converts errors of commands to failures: an exit code and readable lines, with a stack trace only for debugging. */
import { inspect } from "node:util";
import { withShownUrls } from "../shown-url.ts";
import { codeFrame, linesOf } from "./code-frame.ts";
import { printable } from "./printable.ts";

/** One mistake. `places`: where it is in the spec folder. Lines and columns are counted from 1. */
export type Fault = {
  readonly message: string;
  readonly places: readonly { readonly file: string; readonly line: number; readonly column: number }[];
  readonly hint?: string;
};

/** 1: findings or a rejection · 2: usage or configuration · 3: an unreadable spec file · 4: a bug in restbound. */
export type Failure = { readonly exitCode: 1 | 2 | 3 | 4; readonly faults: readonly Fault[] };

/** An expected error of a command. `failure`, rather than the message, determines the output and the exit code. */
export class ExpectedFailure extends Error {
  readonly failure: Failure;

  constructor(message: string, failure: Failure) {
    super(message);
    this.name = new.target.name;
    this.failure = failure;
  }
}

/** `doing`: the command's name. With `debug`, the failure of an unexpected error includes the stack trace. */
export function commandFailure(error: unknown, doing: string, debug = false): Failure {
  if (error instanceof ExpectedFailure) return error.failure;
  const { code, path, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall && path) return { exitCode: 2, faults: [withoutPlace(printable(`${path}: ${code}`))] };
  if (error instanceof RangeError && /call stack/.test(message))
    return { exitCode: 3, faults: [withoutPlace(`${doing}: schemas or types are nested too deeply`)] };
  const [line] = (message ?? String(error)).split("\n");
  const report = `${doing}: this is a bug, please report it: ${printable(line ?? "")}`;
  return { exitCode: 4, faults: [withoutPlace(debug ? `${report}\n${inspect(error)}` : report)] };
}

export const withoutPlace = (message: string): Fault => ({ message, places: [] });

/** Returns a line such as `spec/openapi.yaml:12:3: <message>`. If the fault has a hint, returns several lines. */
export function faultLine({ message, places, hint }: Fault, frame: readonly string[] = []): string {
  const at = places.map(({ file, line, column }) => printable(`spec/${file}:${line}:${column}`)).join("  ");
  if (hint !== undefined) return [at, `  ${message}`, ...frame, `  → ${hint}`].join("\n");
  return [at ? `${at}: ${message}` : message, ...frame].join("\n");
}

/** Returns the text of a file of the spec folder; `undefined` if it cannot be read. */
type ReadSpec = (file: string) => string | undefined;

/** Formats each fault, with the lines of code around its first place. */
export const failureLines = ({ faults }: Failure, read: ReadSpec = () => undefined): string[] =>
  faults.map((fault) => faultLine(fault, frameOf(fault, read)));

function frameOf({ places: [place] }: Fault, read: ReadSpec): string[] {
  const text = place && read(place.file);
  if (!text) return [];
  const frame = codeFrame(linesOf(text), place.line, place.column);
  return frame.split("\n").map((line) => `    ${line}`);
}

/** Wrong usage of a command, such as an unknown option. The command prints the lines, one per mistake, and exits with code 2. */
export class UsageError extends ExpectedFailure {
  constructor(lines: readonly string[]) {
    super(lines.map(withShownUrls).join("\n"), {
      exitCode: 2,
      faults: lines.map((line) => withoutPlace(printable(withShownUrls(line)))),
    });
  }
}

/**
 * The command line is valid, but the command rejects a value in it: for example, a user that does not exist or a date in the
 * past. The command prints the message and exits with code 1.
 */
export class CommandRefusal extends ExpectedFailure {
  constructor(message: string) {
    super(message, { exitCode: 1, faults: [withoutPlace(message)] });
  }
}
