/**
 * The error that carries a code of the closed list, and which code a REST status stands for.
 * GraphQL carries the code in `extensions.code`, REST in `application/problem+json` (RFC 9457) as `code`.
 */

import { type Code, codes } from "../shared/error-codes.ts";
import type { Environment } from "./settings/environment.ts";

/** The bounds that refuse requests with which nothing is wrong, as metrics and logs name them. */
export type LimitName =
  | "address_rate"
  | "answers_unread"
  | "bad_keys"
  | "bodies"
  | "event_loop"
  | "gateway_requests"
  | "key_look_ups"
  | "key_rate"
  | "keyless_rate"
  | "processor_share"
  | "requests_under_way"
  | "response_bytes"
  | "slow_body"
  | "slow_reader"
  | "slow_response"
  | "stopping"
  | "tenant_concurrency";

/** Why credentials are refused. The service behind key introspection, or REST, refuses a `refused_key`. */
export type CredentialFailure = "no_key" | "not_a_key" | "refused_key";

/** A good request that is refused for now. The client may try again after so many seconds. */
export const refusedByLimit = (
  reason: LimitName,
  code: "SERVICE_UNAVAILABLE" | "RATE_LIMITED",
  message: string,
  retryAfter = 1,
): CodedError => new CodedError(code, message, { retryAfter }, undefined, reason);

/** The details that a failure may tell its client, beside code and message. */
type Details = {
  /** The argument or parameter whose value is refused. */
  argument?: string;
  /** The limit that was passed, by the name of its environment variable, and its value. */
  limit?: string;
  value?: number;
  /** Seconds to wait before trying again. */
  retryAfter?: number;
  /** The `operationId` of the REST operation that failed, and the permission that its caller lacks. */
  operation?: string;
  permission?: string;
};

/** A failure whose code and message may reach the client. Every other error is masked. */
export class CodedError extends Error {
  readonly code: Code;
  readonly details: Details;
  /** The bound that refused a good request, or the fault of a key. Operators see it; clients do not. */
  readonly reason: LimitName | CredentialFailure | undefined;

  constructor(
    code: Code,
    message: string,
    details: Details = {},
    cause?: unknown,
    reason?: CodedError["reason"],
  ) {
    super(message, { cause });
    this.name = "CodedError";
    this.code = code;
    this.details = details;
    this.reason = reason;
  }

  get status(): number {
    return statusOfLimit.get(this.details.limit) ?? codes[this.code].status;
  }
}

/** The limits that HTTP has a status of its own for (RFC 9110 §15.5.14, RFC 6585 §5). */
const statusOfLimit = new Map<string | undefined, number>([
  ["MAX_BODY_BYTES", 413],
  ["MAX_HEADERS", 431],
  ["MAX_HEADER_BYTES", 431],
]);

/** The error for a value over a setting's limit; `message` names the value. */
export const limitExceeded = (limit: keyof Environment, value: number, message: string): CodedError =>
  new CodedError("LIMIT_EXCEEDED", message, { limit, value });

export const clientDisconnected = (): CodedError =>
  new CodedError("CLIENT_CLOSED_REQUEST", "the client left before the answer");

const byStatus = new Map<number, Code>([
  [400, "BAD_USER_INPUT"],
  [401, "UNAUTHENTICATED"],
  [403, "FORBIDDEN"],
  [404, "NOT_FOUND"],
  [409, "CONFLICT"],
  [422, "BAD_USER_INPUT"],
  [429, "RATE_LIMITED"],
  [503, "UPSTREAM_UNAVAILABLE"],
  [504, "UPSTREAM_TIMEOUT"],
]);

/** REST status (RFC 9110 §15) → code. A status that no contract of ours explains is the upstream's fault. */
export const codeForStatus = (status: number): Code => byStatus.get(status) ?? "UPSTREAM_ERROR";

/**
 * The cause of a failure that no error of Node or undici tells: a call that is not made, or an answer that is none. `code`
 * says why, for the log; it holds nothing of the answer's values.
 */
export class FailureReason extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * The body of an answer that fails, as problem details (RFC 9457), of which `code` is an extension member: the status, code,
 * message and details of `error`, and nothing of its cause.
 */
export const problemDetails = (error: CodedError) => ({
  type: "about:blank",
  title: error.code,
  status: error.status,
  code: error.code,
  detail: error.message,
  ...error.details,
});
