/**
 * Errors with a code of the closed list (`error-codes.ts`), and the mapping of REST statuses to these codes. A GraphQL
 * response contains the code in `extensions.code`, a REST response as `code` in `application/problem+json` (RFC 9457).
 */
import { STATUS_CODES } from "node:http";
import { type Code, codes } from "../shared/error-codes.ts";
import type { Environment } from "./settings/environment.ts";

/** The limits that reject valid requests, as named in metrics and logs. */
export type LimitName =
  | "address_rate"
  | "unread_responses"
  | "bad_keys"
  | "bodies"
  | "event_loop"
  | "gateway_requests"
  | "key_lookups"
  | "key_rate"
  | "keyless_rate"
  | "processor_share"
  | "requests_in_flight"
  | "response_bytes"
  | "slow_body"
  | "slow_reader"
  | "slow_response"
  | "stopping"
  | "tenant_concurrency";

/** Why credentials were rejected. A `refused_key` was rejected by key introspection or REST, a `refused_token` by the gateway. */
export type CredentialFailure = "no_key" | "not_a_key" | "refused_key" | "refused_token";

/** Creates the error for a valid request that is rejected temporarily. The client may retry after `retryAfter` seconds. */
export const refusedByLimit = (
  reason: LimitName,
  code: "SERVICE_UNAVAILABLE" | "RATE_LIMITED",
  message: string,
  retryAfter = 1,
): CodedError => new CodedError(code, message, { retryAfter }, { reason });

/** A value that REST rejected: the argument that contained it, and details from REST's error body. */
export type RefusedValue = {
  readonly argument?: string;
  readonly detail?: string;
  readonly restCode?: string;
};

/** Details that the client gets in addition to code and message. */
export type Details = {
  /** The argument or parameter whose value was rejected. */
  argument?: string;
  /** From REST's error body, if declared in the OpenAPI document: members of problem details, and REST's own error code. */
  title?: string;
  detail?: string;
  restCode?: string;
  errors?: readonly RefusedValue[];
  /** The environment variable of the exceeded limit, and its value. */
  limit?: string;
  value?: number;
  /** Seconds to wait before trying again. */
  retryAfter?: number;
  /** The `operationId` of the failed REST operation, and the permission for it that the caller lacks. */
  operation?: string;
  permission?: string;
};

/** An error whose code and message may reach the client. All other errors are masked. */
export class CodedError extends Error {
  readonly code: Code;
  readonly details: Details;
  /**
   * The limit that rejected a valid request, or why credentials were rejected. Logged for operators, but not sent to clients.
   */
  readonly reason: LimitName | CredentialFailure | undefined;

  constructor(
    code: Code,
    message: string,
    details: Details = {},
    { cause, reason }: { readonly cause?: unknown; readonly reason?: CodedError["reason"] } = {},
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

/** Limits with a specific HTTP status (RFC 9110 §15.5.14, RFC 6585 §5). */
const statusOfLimit = new Map<string | undefined, number>([
  ["MAX_BODY_BYTES", 413],
  ["MAX_HEADERS", 431],
  ["MAX_HEADER_BYTES", 431],
]);

/** Creates the error for a value above a configured limit. `message` describes the value. */
export const limitExceeded = (limit: keyof Environment, value: number, message: string): CodedError =>
  new CodedError("LIMIT_EXCEEDED", message, { limit, value });

export const clientDisconnected = (): CodedError =>
  new CodedError("CLIENT_CLOSED_REQUEST", "the client disconnected before the response");

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

/** Returns the code for a REST status (RFC 9110 §15). A status without an entry in the table is an error of the upstream. */
export const codeForStatus = (status: number): Code => byStatus.get(status) ?? "UPSTREAM_ERROR";

/**
 * The reason why a call failed although Node and undici reported no error: the call was not made, or its response was invalid.
 * `code` is logged, so it must not contain values of the response.
 */
export class FailureReason extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Status phrases of RFC 9110 §15 where Node has older phrases. */
const phrases = new Map([
  [413, "Content Too Large"],
  [422, "Unprocessable Content"],
]);

export const statusPhrase = (status: number): string | undefined =>
  phrases.get(status) ?? STATUS_CODES[status];

/**
 * Returns the body of an error response as problem details (RFC 9457), with `code` as an extension member and without the
 * error's cause. The title of `about:blank` is the phrase of the status (§4.2.1).
 */
export const problemDetails = (error: CodedError) => ({
  type: "about:blank",
  title: statusPhrase(error.status) ?? "Client Closed Request", // 499 is the only status without a phrase
  status: error.status,
  code: error.code,
  detail: error.message,
  ...error.details,
});
