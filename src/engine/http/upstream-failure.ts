/** The one mapping from undici's errors to our codes, for the gateway and for the REST client. */
import { CodedError } from "../errors.ts";

const notInTime = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);
/** Node's own: a response header that no response may carry. */
const invalidHeader = "ERR_INVALID_CHAR";
const notHttp = new Set(["UND_ERR_HEADERS_OVERFLOW", invalidHeader]);
/** The body was cut off. */
const otherLength = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";
const notSendable = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"]);

/** The error's message may hold addresses: it stays in `cause`. A `CodedError` passes as it is. */
export function upstreamFailure(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (notInTime.has(code)) return new CodedError("UPSTREAM_TIMEOUT", "no connection in time", {}, error);
  if (notSendable.has(code)) return new CodedError("BAD_REQUEST", "the request cannot be sent", {}, error);
  if (code === otherLength)
    return new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not as long as it says", {}, error);
  if (notHttp.has(code) || (error instanceof Error && error.name === "HTTPParserError"))
    return new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not HTTP", {}, error);
  return new CodedError("UPSTREAM_UNAVAILABLE", "the service cannot be reached", {}, error);
}

/**
 * Whether a response has no body, whatever its `Content-Length` says (RFC 9112 §6.3). A 304 may give the length that a 200
 * would have (RFC 9110 §8.6). undici then reports a body that was cut off.
 */
export const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

/** Interim responses (1xx) of one call that are taken. A server sends one or two; each costs as much as a response. */
export const mostInterimResponses = 16;

export const tooManyInterim = (): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "too many interim responses");
