/** Where a role's server writes the lines of requests and of REST calls, and how many of them in a flood. */
import type { FastifyBaseLogger } from "fastify";
import type { Environment } from "../settings/environment.ts";

/** Lines a minute of one kind; the kinds are bounded. */
const mostLines = 20;
const windowMs = 60_000;

/** The lines that a role's server writes, and their bounds. */
export class LogLines {
  readonly access: Environment["ACCESS_LOG"];
  /** Writes access lines whatever the least severe level of other lines is. */
  readonly lines: FastifyBaseLogger;
  readonly log: FastifyBaseLogger;
  readonly #counts = new Map<string, { count: number; readonly fields: object }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: FastifyBaseLogger, access: LogLines["access"]) {
    this.log = log;
    this.access = log.level === "silent" ? "off" : access;
    this.lines = this.access === "off" ? log : log.child({}, { level: "info" });
  }

  /** Whether lines of the level `info` are written at all. */
  get tellsInfo(): boolean {
    return this.log.level === "info" || this.log.level === "debug";
  }

  /** Whether one more line of this kind is written. At the end of the minute one line counts the others. */
  mayWrite(kind: string, fields: object): boolean {
    const known = this.#counts.get(kind);
    if (known) return ++known.count <= mostLines;
    this.#counts.set(kind, { count: 1, fields });
    this.#timer ??= setTimeout(() => this.#endMinute(), windowMs).unref();
    return true;
  }

  #endMinute(): void {
    this.#timer = undefined;
    for (const { count, fields } of this.#counts.values())
      if (count > mostLines) this.log.warn({ ...fields, count, written: mostLines }, "a minute's failures");
    this.#counts.clear();
  }
}
