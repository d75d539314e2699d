/** Maps undici's errors to our codes, for the gateway and the REST client. */
import type { Code } from "../../shared/error-codes.ts";
import { CodedError } from "../coded-error.ts";

type Failure = readonly [code: Code, message: string];
const late: Failure = ["UPSTREAM_TIMEOUT", "no connection in time"];
const notHttp: Failure = ["BAD_UPSTREAM_RESPONSE", "the response is not valid HTTP"];
const notSendable: Failure = ["BAD_REQUEST", "the request cannot be sent"];
const unreachable: Failure = ["UPSTREAM_UNAVAILABLE", "the service cannot be reached"];

/** The failures by the error's code or name. */
const failures = new Map<unknown, Failure>([
  ["UND_ERR_CONNECT_TIMEOUT", late],
  ["ETIMEDOUT", late],
  ["ETIMEOUT", late], // the name servers did not respond
  ["UND_ERR_HEADERS_OVERFLOW", notHttp],
  ["HTTPParserError", notHttp],
  ["ERR_INVALID_CHAR", notHttp], // Node's error for an invalid response header
  [
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
    ["BAD_UPSTREAM_RESPONSE", "the response does not have the length that it declares"],
  ],
  ["UND_ERR_INVALID_ARG", notSendable],
  ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", notSendable],
]);

const brokeOff = "the connection broke before the response was complete";

/**
 * The original message may contain addresses and is kept only in `cause`. A `CodedError` is returned unchanged. `wasSent`: the
 * request was written to a connection, so the service was reachable.
 */
export function upstreamFailure(error: unknown, wasSent: boolean): CodedError {
  if (error instanceof CodedError) return error;
  const { code, name } = error as NodeJS.ErrnoException;
  const failure = failures.get(code) ?? failures.get(name) ?? unreachable;
  const [coded, message] = failure;
  const isOfConnection = failure === unreachable || failure === late;
  return new CodedError(coded, wasSent && isOfConnection ? brokeOff : message, {}, { cause: error });
}

const unsent: ReadonlySet<Code> = new Set([
  "SERVICE_TIMEOUT",
  "SERVICE_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_UNAVAILABLE",
]);

/**
 * A suffix for the message of a failed write, so that clients do not unknowingly repeat it. A request without a complete response
 * may have been executed, even if the connection broke or the server closed it while it was idle.
 */
export const outcomeOfWrite = (wasSent: boolean, code: Code): string => {
  if (wasSent) return "; its outcome is unknown: it may have been executed";
  return unsent.has(code) ? "; it was not sent" : "";
};

/**
 * Whether a response has no body regardless of `Content-Length` (RFC 9112 §6.3). A 304 may have the length of the corresponding
 * 200 (RFC 9110 §8.6), for which undici would report a truncated body.
 */
export const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

/** Maximum number of interim responses (1xx) per call. Servers send one or two; each costs as much as a response. */
export const maxInterimResponses = 16;

export const tooManyInterimResponses = (): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "too many interim responses");
