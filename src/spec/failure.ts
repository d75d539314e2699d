/** What ends a command before it has anything to report: clear lines and an exit code, never a stack trace. */
import { inspect } from "node:util";
import { ConfigError } from "../config.ts";
import { type Diagnostic, type Place, SpecUnreadable } from "./diagnostic.ts";

/** One thing that is wrong; `places` stand below the spec folder. */
export type Fault = { readonly message: string; readonly places: readonly Place[]; readonly hint?: string };

/** 1: the mapping is not proved · 2: usage or configuration · 3: a spec file cannot be read · 4: a fault of ours. */
export type Failure = { readonly exitCode: 1 | 2 | 3 | 4; readonly faults: readonly Fault[] };

/** `doing` is what was under way. */
export function failureOf(error: unknown, doing: string): Failure {
  if (error instanceof ConfigError) return { exitCode: 2, faults: error.lines.map(withoutPlace) };
  if (error instanceof SpecUnreadable) return notProved(error);
  const { code, path, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall && path) return { exitCode: 2, faults: [withoutPlace(`${path}: ${code}`)] };
  const [what] = (message ?? String(error)).split("\n");
  const told = `${doing}: this is a fault of ours, please report it: ${what}`;
  return { exitCode: 4, faults: [withoutPlace(process.env.DEBUG ? `${told}\n${inspect(error)}` : told)] };
}

const withoutPlace = (message: string): Fault => ({ message, places: [] });

function notProved({ diagnostics, elsewhere }: SpecUnreadable): Failure {
  const faults = diagnostics.map(faultOf);
  // what does not stand in the files as they are has no place in them
  if (elsewhere !== undefined)
    return { exitCode: 3, faults: faults.map((fault) => withoutPlace(`${elsewhere}: ${faultLine(fault)}`)) };
  return { exitCode: diagnostics.some(isUnreadable) ? 3 : 1, faults };
}

const isUnreadable = ({ rule }: Diagnostic): boolean => rule === "spec-unreadable";

function faultOf(diagnostic: Diagnostic): Fault {
  const { rule, message, hint, schema, rest, coordinate } = diagnostic;
  const places = [schema, rest].filter((place) => place !== undefined);
  if (isUnreadable(diagnostic)) return { message: message.replace(`${coordinate}: `, ""), places };
  return { message: `${rule} at ${coordinate}: ${message}`, places, hint };
}

/** `spec/openapi.yaml:12:3: <what>`; a finding has both its places on a line, and what to do about it on another. */
function faultLine({ message, places, hint }: Fault): string {
  const at = places.map(({ file, line, column }) => `spec/${file}:${line}:${column}`).join("  ");
  if (hint !== undefined) return `${at}\n  ${message}\n  ${hint}`;
  return at ? `${at}: ${message}` : message;
}

export const failureLines = ({ faults }: Failure): string[] => faults.map(faultLine);
