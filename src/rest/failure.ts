/**
 * What a REST call that failed means to its caller: a code, a message that names the operation and nothing of the upstream,
 * and whether it is worth another try.
 */
import { CodedError, codeOfStatus } from "../errors.ts";
import type { Answer } from "./answer.ts";
import type { Operation } from "./operation.ts";

/** The cause of a failure that never left this process, and that trying again cannot mend. */
export class NotSent extends Error {}
/** Nor did it get as far as the upstream's connections: its caller's other calls had that caller's share of them. */
export class NoTurn extends NotSent {}

/** A call that was not made, for a reason that soon passes. */
export const notSent = (message: string): CodedError =>
  new CodedError("UPSTREAM_UNAVAILABLE", message, { retryAfter: 1 }, new NotSent());

export const tooLarge = (bytes: number): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is too large", {
    limit: "MAX_RESPONSE_BYTES",
    value: bytes,
  });

const notHttp = new Set(["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_HEADERS_OVERFLOW"]);

/** What undici says when there is no connection, or it breaks; its message may hold addresses and stays in `cause`. */
export function connectionFailure(error: Error): CodedError {
  const code = "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return new CodedError("UPSTREAM_TIMEOUT", "no connection in time", {}, error);
  if (error.name === "HTTPParserError" || notHttp.has(code))
    return new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not HTTP", {}, error);
  return new CodedError("UPSTREAM_UNAVAILABLE", "no connection, or it broke", {}, error);
}

/**
 * A REST failure as ours: its status decides the code and is the cause; of its body only the name of a value that we
 * sent is kept.
 */
export function refusal(response: Answer, error: unknown, sent: readonly unknown[]): CodedError {
  const { status } = response;
  if (status < 400) return new CodedError("BAD_UPSTREAM_RESPONSE", "a redirect is not followed");
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  const argument = status === 400 || status === 422 ? argumentOf(error, sent) : undefined;
  const message = argument === undefined ? messages[status] : `the value of "${argument}" is refused`;
  const details = {
    ...(argument !== undefined && { argument }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  return new CodedError(codeOfStatus(status), message ?? `it answered ${status}`, details, status);
}

/** The `argument` member of problem details (RFC 9457), if it is the name of something that we sent. */
function argumentOf(problem: unknown, sent: readonly unknown[]): string | undefined {
  const named = isObject(problem) && "argument" in problem && problem.argument;
  return typeof named === "string" &&
    sent.some((section) => isObject(section) && Object.hasOwn(section, named))
    ? named
    : undefined;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const messages: Record<number, string> = {
  400: "the input is refused",
  401: "the credentials are missing or not valid",
  403: "the caller lacks the permission that it needs",
  404: "there is no such thing",
  409: "the request contradicts what is stored",
  422: "the input is refused",
  429: "too many requests",
};

/** `Retry-After` in seconds (RFC 9110 §10.2.3): a number or a date. */
function secondsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** How long to wait before a read is tried again, with jitter; `undefined` if it is not. */
export function retryWaitMs(error: unknown): number | undefined {
  if (!(error instanceof CodedError) || error.cause instanceof NotSent) return undefined;
  const isFault = error.code === "UPSTREAM_UNAVAILABLE" || error.code === "UPSTREAM_ERROR";
  const isRefused = typeof error.cause === "number" && error.cause < 500;
  const { retryAfter } = error.details;
  if (retryAfter !== undefined && (isFault || error.code === "RATE_LIMITED"))
    return retryAfter * 1_000 + Math.random() * 100;
  return isFault && !isRefused ? 5 + Math.random() * 25 : undefined;
}

/** The failure with its operation's name; what is not ours yet was a broken answer. */
export function named({ id }: Operation, error: unknown): CodedError {
  if (error instanceof CodedError)
    return error.code === "CALL_LIMIT"
      ? error
      : new CodedError(error.code, `${id}: ${error.message}`, error.details, error);
  const broken = error instanceof SyntaxError;
  return new CodedError(
    broken ? "BAD_UPSTREAM_RESPONSE" : "INTERNAL_SERVER_ERROR",
    `${id}: ${broken ? "the answer is not valid JSON" : "internal error"}`,
    {},
    broken ? undefined : error, // a SyntaxError quotes what it could not read
  );
}
