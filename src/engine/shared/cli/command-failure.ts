/** How a command fails: with an exit code and clear lines, never with a stack trace. */
import { inspect } from "node:util";
import { withShownUrls } from "../shown-url.ts";
import { codeFrame, linesOf } from "./code-frame.ts";
import { printable } from "./printable.ts";

/** One mistake; `places` stand below the spec folder, lines and columns count from 1. */
export type Fault = {
  readonly message: string;
  readonly places: readonly { readonly file: string; readonly line: number; readonly column: number }[];
  readonly hint?: string;
};

/** 1: findings, or a refusal · 2: usage or configuration · 3: an unreadable spec file · 4: a fault of ours. */
export type Failure = { readonly exitCode: 1 | 2 | 3 | 4; readonly faults: readonly Fault[] };

/** An error that a command foresees. `failure` is how the command ends; nothing reads the message for that. */
export class ExpectedFailure extends Error {
  readonly failure: Failure;

  constructor(message: string, failure: Failure) {
    super(message);
    this.name = new.target.name;
    this.failure = failure;
  }
}

/** `doing` names the command. With `debug`, a fault of ours shows its stack trace. */
export function commandFailure(error: unknown, doing: string, debug = false): Failure {
  if (error instanceof ExpectedFailure) return error.failure;
  const { code, path, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall && path) return { exitCode: 2, faults: [withoutPlace(printable(`${path}: ${code}`))] };
  if (error instanceof RangeError && /call stack/.test(message))
    return { exitCode: 3, faults: [withoutPlace(`${doing}: schemas or types are nested too deeply`)] };
  const [line] = (message ?? String(error)).split("\n");
  const report = `${doing}: this is a fault of ours, please report it: ${printable(line ?? "")}`;
  return { exitCode: 4, faults: [withoutPlace(debug ? `${report}\n${inspect(error)}` : report)] };
}

export const withoutPlace = (message: string): Fault => ({ message, places: [] });

/** `spec/openapi.yaml:12:3: <message>`; a fault with a hint has its places, its message and its hint on a line each. */
export function faultLine({ message, places, hint }: Fault, frame: readonly string[] = []): string {
  const at = places.map(({ file, line, column }) => printable(`spec/${file}:${line}:${column}`)).join("  ");
  if (hint !== undefined) return [at, `  ${message}`, ...frame, `  → ${hint}`].join("\n");
  return [at ? `${at}: ${message}` : message, ...frame].join("\n");
}

/** Reads a file by its name below the spec folder; `undefined` if it cannot be read. */
type ReadSpec = (file: string) => string | undefined;

/** Each fault, with the lines around its first place. */
export const failureLines = ({ faults }: Failure, read: ReadSpec = () => undefined): string[] =>
  faults.map((fault) => faultLine(fault, frameOf(fault, read)));

function frameOf({ places: [place] }: Fault, read: ReadSpec): string[] {
  const text = place && read(place.file);
  if (!text) return [];
  const frame = codeFrame(linesOf(text), place.line, place.column);
  return frame.split("\n").map((line) => `    ${line}`);
}

// The caller used a command wrongly: an unknown name, a wrong option, a file that git does not have.

/** Each line names one mistake. The command prints the lines and ends with exit code 2. */
export class UsageError extends ExpectedFailure {
  constructor(lines: readonly string[]) {
    super(lines.map(withShownUrls).join("\n"), {
      exitCode: 2,
      faults: lines.map((line) => withoutPlace(printable(withShownUrls(line)))),
    });
  }
}

// The command line is correct, but the command refuses its values: a user that does not exist, a date in the past.

/** The command prints the message and ends with exit code 1. */
export class CommandRefusal extends ExpectedFailure {
  constructor(message: string) {
    super(message, { exitCode: 1, faults: [withoutPlace(message)] });
  }
}
