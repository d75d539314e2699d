/**
 * Handles promises that reject without a handler. An unhandled `CodedError` is logged and counted, because the failure of one
 * request must not end the process. Any other unhandled rejection is a bug and ends the process, whose state is unknown.
 */
import type { FastifyBaseLogger } from "fastify";
import { CodedError } from "../runtime/coded-error.ts";
import { LogLines } from "../runtime/observe/log-lines.ts";

/** Counts unhandled `CodedError`s by code. */
export const unhandledFailures = new Map<string, number>();

export function handleUnhandledRejections(log: FastifyBaseLogger): void {
  const lines = new LogLines(log, "off");
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof CodedError)) throw reason;
    const { code } = reason;
    unhandledFailures.set(code, (unhandledFailures.get(code) ?? 0) + 1);
    if (lines.mayWrite(`unhandled ${code}`, { code })) log.error({ err: reason }, "unhandled rejection");
  });
}
