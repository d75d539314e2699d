/** The loggers of a role's server for requests and REST calls, with rate limits for floods. */
import type { FastifyBaseLogger } from "fastify";
import type { Environment } from "../settings/environment.ts";

/** Maximum number of lines per minute for each kind. */
const maxLines = 20;
const windowMs = 60_000;

export class LogLines {
  readonly access: Environment["ACCESS_LOG"];
  /** Writes access log lines regardless of `LOG_LEVEL`. */
  readonly lines: FastifyBaseLogger;
  readonly log: FastifyBaseLogger;
  readonly #kinds = new Map<string, { count: number; readonly most: number; readonly fields: object }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: FastifyBaseLogger, access: LogLines["access"]) {
    this.log = log;
    this.access = log.level === "silent" ? "off" : access;
    this.lines = this.access === "off" ? log : log.child({}, { level: "info" });
  }

  get writesInfo(): boolean {
    return this.log.level === "info" || this.log.level === "debug";
  }

  /**
   * Whether another line of this kind may be written. At most `most` lines are allowed per minute. At the end of the minute, one
   * line states how many were suppressed.
   */
  mayWrite(kind: string, fields: object, most = maxLines): boolean {
    const existing = this.#kinds.get(kind);
    if (existing) return ++existing.count <= most;
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
