/** The one mapping from undici's errors to our codes, for the gateway and for the REST client. */
import type { Code } from "../../shared/error-codes.ts";
import { CodedError } from "../coded-error.ts";

type Failure = readonly [code: Code, message: string];
const late: Failure = ["UPSTREAM_TIMEOUT", "no connection in time"];
const notHttp: Failure = ["BAD_UPSTREAM_RESPONSE", "the answer is not HTTP"];
const notSendable: Failure = ["BAD_REQUEST", "the request cannot be sent"];
const unreachable: Failure = ["UPSTREAM_UNAVAILABLE", "the service cannot be reached"];

/** By the code of an error, or by its name. */
const failures = new Map<unknown, Failure>([
  ["UND_ERR_CONNECT_TIMEOUT", late],
  ["ETIMEDOUT", late],
  ["ETIMEOUT", late], // of a lookup: its name servers are silent
  ["UND_ERR_HEADERS_OVERFLOW", notHttp],
  ["HTTPParserError", notHttp],
  ["ERR_INVALID_CHAR", notHttp], // Node's own: a response header that no response may carry
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", ["BAD_UPSTREAM_RESPONSE", "the answer is not as long as it says"]],
  ["UND_ERR_INVALID_ARG", notSendable],
  ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", notSendable],
]);

const brokeOff = "the connection broke before the answer was complete";

/**
 * The error's message may hold addresses: it stays in `cause`. A `CodedError` passes as it is. `wasSent`: the request was on a
 * connection, so the service could be reached.
 */
export function upstreamFailure(error: unknown, wasSent: boolean): CodedError {
  if (error instanceof CodedError) return error;
  const { code, name } = error as NodeJS.ErrnoException;
  const failure = failures.get(code) ?? failures.get(name) ?? unreachable;
  const [coded, message] = failure;
  const isOfConnection = failure === unreachable || failure === late;
  return new CodedError(coded, wasSent && isOfConnection ? brokeOff : message, {}, error);
}

const unsent: ReadonlySet<Code> = new Set([
  "SERVICE_TIMEOUT",
  "SERVICE_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_UNAVAILABLE",
]);

/**
 * What a failed write adds to its message, so that nobody does it twice unawares. A request without a whole response may have
 * been executed: also where the connection broke, and where it was idle and the server closed it meanwhile.
 */
export const outcomeOfWrite = (wasSent: boolean, code: Code): string => {
  if (wasSent) return "; its outcome is unknown: it may have been executed";
  return unsent.has(code) ? "; it was not sent" : "";
};

/**
 * Whether a response has no body, whatever its `Content-Length` says (RFC 9112 §6.3). A 304 may give the length that a 200
 * would have (RFC 9110 §8.6). undici then reports a body that was cut off.
 */
export const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

/** Interim responses (1xx) of one call that are taken. A server sends one or two; each costs as much as a response. */
export const maxInterimResponses = 16;

export const tooManyInterimResponses = (): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "too many interim responses");
