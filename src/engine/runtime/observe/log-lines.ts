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
  readonly #kinds = new Map<string, { count: number; readonly most: number; readonly fields: object }>();
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

  /** Whether one more line of this kind is written, `most` in a minute. At its end one line counts the others. */
  mayWrite(kind: string, fields: object, most = mostLines): boolean {
    const known = this.#kinds.get(kind);
    if (known) return ++known.count <= most;
    this.#kinds.set(kind, { count: 1, most, fields });
    this.#timer ??= setTimeout(() => this.#endMinute(), windowMs).unref();
    return true;
  }

  #endMinute(): void {
    this.#timer = undefined;
    for (const { count, most, fields } of this.#kinds.values())
      if (count > most) this.log.warn({ ...fields, count, written: most }, "a minute's failures");
    this.#kinds.clear();
  }
}
