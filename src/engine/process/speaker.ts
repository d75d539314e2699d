/**
 * Writes the messages of the process itself. People read them as text, with warnings on stderr. In production each
 * message is a JSON log line, whatever LOG_LEVEL is, because the collector of the log reads JSON alone.
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

/** `name` is the service's own. */
export function speaker(
  name: string,
  { out, error }: Pick<Io, "out" | "error">,
  production: boolean,
): Speaker {
  if (!production) {
    const complain = (line: string): void => error(`${name}: ${printable(line)}`);
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
