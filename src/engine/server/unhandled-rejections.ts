/**
 * A promise may be rejected after everybody who read it has gone. No request's failure may end the process, which serves
 * others. So a failure that is meant for a client is logged and counted. Any other rejection without a reader is a fault of
 * the program, and ends the process: nobody knows in which state it is.
 */
import type { FastifyBaseLogger } from "fastify";
import { CodedError } from "../runtime/coded-error.ts";
import { LogLines } from "../runtime/observe/log-lines.ts";

/** The failures that nobody read, by their codes. */
export const unhandledFailures = new Map<string, number>();

/** Holds for all roles of the process, until it ends. */
export function handleUnhandledRejections(log: FastifyBaseLogger): void {
  const lines = new LogLines(log, "off");
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof CodedError)) throw reason;
    const { code } = reason;
    unhandledFailures.set(code, (unhandledFailures.get(code) ?? 0) + 1);
    if (lines.mayWrite(`unread ${code}`, { code })) log.error({ err: reason }, "nobody read a failure");
  });
}
