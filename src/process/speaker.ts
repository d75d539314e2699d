/**
 * What the process says of itself, from its first line on. People read it as text, and its warnings on stderr. In
 * production a line is a log line like all others, whatever LOG_LEVEL is: what collects the log reads JSON alone.
 */
import { hostname } from "node:os";
import type { Io } from "../cli/command.ts";
import { printable, printableLines } from "../cli/printable.ts";

const levels = { info: 30, warn: 40, fatal: 60 } as const;

export type Speaker = {
  /** In production the text has one line. `more` are further members of the log line. */
  readonly info: (text: string, more?: object) => void;
  readonly warn: (line: string) => void;
  /** Why there is no start. It goes to stderr in production too. */
  readonly fatal: (line: string) => void;
};

export function speaker({ out, error }: Pick<Io, "out" | "error">, production: boolean): Speaker {
  if (!production) {
    const complain = (line: string): void => error(`messaging-graphql: ${printable(line)}`);
    return { info: (text) => out(printableLines(text)), warn: complain, fatal: complain };
  }
  const logLine = (level: keyof typeof levels, text: string, more = {}): string => {
    const origin = { level: levels[level], time: Date.now(), pid: process.pid, hostname: hostname() };
    return JSON.stringify({ ...origin, ...more, msg: printable(text) });
  };
  return {
    info: (text, more) => out(logLine("info", text, more)),
    warn: (line) => out(logLine("warn", line)),
    fatal: (line) => error(logLine("fatal", line)),
  };
}
