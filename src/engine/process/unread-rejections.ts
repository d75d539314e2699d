/**
 * A promise may be rejected after everybody who read it has gone: when an item of a list fails synchronously, graphql-js 16
 * abandons the promises of the items before it. No request's failure may end the process, which serves others. So a failure
 * that is meant for a client is logged and counted. Any other rejection without a reader is a fault of the program, and ends
 * the process: nobody knows in which state it is.
 */
import type { FastifyBaseLogger } from "fastify";
import { CodedError } from "../errors.ts";
import { LogLines } from "../observe/log-lines.ts";
import { rejectionUnread } from "../observe/observer.ts";

/** Holds for all roles of the process, until it ends. */
export function surviveUnreadRejections(log: FastifyBaseLogger): void {
  const lines = new LogLines(log, "off");
  process.on("unhandledRejection", (reason) => {
    const code = codeOf(reason);
    if (code === undefined) throw reason;
    rejectionUnread(code);
    if (lines.mayWrite(`unread ${code}`, { code })) log.error({ err: reason }, "nobody read a failure");
  });
}

/** The code of a failure that is meant for a client. A GraphQL error without one is masked before it is sent. */
function codeOf(reason: unknown): string | undefined {
  if (reason instanceof CodedError) return reason.code;
  if (!(reason instanceof Error && reason.name === "GraphQLError")) return undefined;
  const original = "originalError" in reason ? reason.originalError : undefined;
  return original instanceof CodedError ? original.code : "INTERNAL_SERVER_ERROR";
}
