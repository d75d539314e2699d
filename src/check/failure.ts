/** What ends a command before it has anything to report: clear lines and an exit code, never a stack trace. */
import { ConfigError } from "../config.ts";
import { type Diagnostic, SpecUnreadable } from "../spec/diagnostic.ts";
import { BaseUnreadable } from "./check.ts";

export type Io = {
  /** The project's folder. */
  readonly root: string;
  readonly out: (text: string) => void;
  readonly error: (line: string) => void;
  /** Whether the output is a terminal. */
  readonly colour?: boolean;
  /** `YYYY-MM-DD`; the day of the clock (UTC) if it is left out. */
  readonly today?: string;
};

/** Runs a command and answers its exit code; what fails is told line by line: 2 usage or configuration, 3 an unreadable spec. */
export async function runCommand(io: Io, command: () => number | Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    const { exitCode, lines } = failureOf(error);
    for (const line of lines) io.error(line);
    return exitCode;
  }
}

/** Throws what is our own fault. */
function failureOf(error: unknown): { exitCode: 2 | 3; lines: readonly string[] } {
  if (error instanceof ConfigError) return { exitCode: 2, lines: error.lines };
  if (error instanceof SpecUnreadable) return { exitCode: 3, lines: error.diagnostics.map(line) };
  if (error instanceof BaseUnreadable) {
    return { exitCode: 3, lines: error.diagnostics.map((each) => `${error.message}: ${line(each)}`) };
  }
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (!syscall || !path) throw error;
  return { exitCode: 2, lines: [`${path}: ${code}`] };
}

/** `spec/openapi.yaml:12:3: <what>` */
function line({ rule, message, schema, rest, coordinate }: Diagnostic): string {
  const place = schema ?? rest;
  const at = place ? `spec/${place.file}:${place.line}:${place.column}: ` : "";
  return at + (rule === "spec-unreadable" ? message.replace(`${coordinate}: `, "") : `${rule}: ${message}`);
}
