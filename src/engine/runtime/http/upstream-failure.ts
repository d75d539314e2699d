/** Maps undici's errors to error codes, for the gateway and the REST client. */
import type { Code } from "../../shared/error-codes.ts";
import { CodedError } from "../coded-error.ts";

type Failure = readonly [code: Code, message: string];
const late: Failure = ["UPSTREAM_TIMEOUT", "no connection in time"];
const notHttp: Failure = ["BAD_UPSTREAM_RESPONSE", "the response is not valid HTTP"];
const notSendable: Failure = ["BAD_REQUEST", "the request cannot be sent"];
const unreachable: Failure = ["UPSTREAM_UNAVAILABLE", "the service cannot be reached"];

/** Each key is the code or the name of an error that undici throws. */
const failures = new Map<unknown, Failure>([
  ["UND_ERR_CONNECT_TIMEOUT", late],
  ["ETIMEDOUT", late],
  ["ETIMEOUT", late], // the name servers did not respond
  ["UND_ERR_HEADERS_OVERFLOW", notHttp],
  ["HTTPParserError", notHttp],
  ["ERR_INVALID_CHAR", notHttp], // thrown by Node for an invalid response header
  [
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
    ["BAD_UPSTREAM_RESPONSE", "the response does not have the length that it declares"],
  ],
  ["UND_ERR_INVALID_ARG", notSendable],
  ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", notSendable],
]);

const brokeOff = "the connection broke before the response was complete";

/**
 * Returns a `CodedError` unchanged. The message of any other error may contain addresses, so it is kept only in `cause`.
 * `wasSent` means that the request was written to a connection, so the service was reachable.
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
 * Returns a suffix for the message of a failed write, so that clients know whether to repeat the write. A request without a
 * complete response may have been executed, even if the service closed an idle connection.
 */
export const outcomeOfWrite = (wasSent: boolean, code: Code): string => {
  if (wasSent) return "; its outcome is unknown: it may have been executed";
  return unsent.has(code) ? "; it was not sent" : "";
};

/**
 * Whether a response has no body even if its `Content-Length` is not zero (RFC 9112 §6.3). A 304 may declare the length of the
 * corresponding 200 (RFC 9110 §8.6), which undici would report as a truncated body.
 */
export const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

/** Maximum number of interim responses (1xx) per call. Servers send one or two, and each takes as much time as a response. */
export const maxInterimResponses = 16;

export const tooManyInterimResponses = (): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "too many interim responses");
