/** What ends a command before it has anything to report: clear lines and an exit code, never a stack trace. */
import { inspect } from "node:util";
import { ConfigError } from "../config.ts";
import { type Diagnostic, type Place, SpecUnreadable } from "./diagnostic.ts";

/** One thing that is wrong; `place` stands below the spec folder. */
export type Fault = { readonly message: string; readonly place?: Place | undefined };

/** 2: usage or configuration · 3: a spec file cannot be read · 4: a fault of ours. */
export type Failure = { readonly exitCode: 2 | 3 | 4; readonly faults: readonly Fault[] };

/** `doing` is what was under way. */
export function failureOf(error: unknown, doing: string): Failure {
  if (error instanceof ConfigError)
    return { exitCode: 2, faults: error.lines.map((message) => ({ message })) };
  if (error instanceof SpecUnreadable)
    return { exitCode: 3, faults: error.diagnostics.map((each) => faultOf(each, error.elsewhere)) };
  const { code, path, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall && path) return { exitCode: 2, faults: [{ message: `${path}: ${code}` }] };
  const [what] = (message ?? String(error)).split("\n");
  const told = `${doing}: this is a fault of ours, please report it: ${what}`;
  return { exitCode: 4, faults: [{ message: process.env.DEBUG ? `${told}\n${inspect(error)}` : told }] };
}

/** What does not stand in the files as they are has no place in them. */
function faultOf({ rule, message, schema, rest, coordinate }: Diagnostic, elsewhere?: string): Fault {
  const what = rule === "spec-unreadable" ? message.replace(`${coordinate}: `, "") : `${rule}: ${message}`;
  const fault = { message: what, place: schema ?? rest };
  return elsewhere === undefined ? fault : { message: `${elsewhere}: ${faultLine(fault)}` };
}

/** `spec/openapi.yaml:12:3: <what>` */
const faultLine = ({ message, place }: Fault): string =>
  place ? `spec/${place.file}:${place.line}:${place.column}: ${message}` : message;

export const failureLines = ({ faults }: Failure): string[] => faults.map(faultLine);

/** Runs a command and answers its exit code; what ends it is told line by line, and to `also`. */
export async function runCommand(
  name: string,
  { error: tell }: { error(line: string): void },
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
