/**
 * The closed list of error codes, the error that carries one, and which code a REST status stands for.
 * GraphQL carries the code in `extensions.code`, REST in `application/problem+json` (RFC 9457) as `code`.
 */

import type { Environment } from "./settings/environment.ts";

/** Every code a client can see, with the HTTP status that the same failure has over REST. */
export const codes = {
  BAD_REQUEST: { status: 400, meaning: "The request itself is malformed." },
  BAD_USER_INPUT: { status: 400, meaning: "An argument's value is refused; `argument` names it." },
  GRAPHQL_PARSE_FAILED: { status: 400, meaning: "The document is not GraphQL." },
  GRAPHQL_VALIDATION_FAILED: { status: 400, meaning: "The document does not fit the schema." },
  OPERATION_RESOLUTION_FAILURE: { status: 400, meaning: "The operation to run is missing or ambiguous." },
  PERSISTED_QUERY_NOT_FOUND: { status: 400, meaning: "No saved operation has this id; send its text." },
  PERSISTED_QUERY_HASH_MISMATCH: { status: 400, meaning: "The id is not the digest of the text beside it." },
  OPERATION_NOT_SAVED: { status: 400, meaning: "This server runs saved operations only." },
  LIMIT_EXCEEDED: {
    status: 400,
    meaning:
      "The request is over a limit; `limit` and `value` name it if a variable sets it (413: body, 431: headers).",
  },
  CALL_LIMIT: { status: 400, meaning: "The operation needs more REST calls than one request may make." },
  UNAUTHENTICATED: { status: 401, meaning: "The credentials are missing, wrong, expired or revoked." },
  FORBIDDEN: { status: 403, meaning: "The caller lacks the permission that this REST operation needs." },
  NOT_FOUND: { status: 404, meaning: "There is no such thing, or not for this tenant." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path does not answer to this method." },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: "The request did not arrive in time, or its body came too slowly.",
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "The request body is of a type that is not taken." },
  CONFLICT: { status: 409, meaning: "The request contradicts what is stored." },
  RATE_LIMITED: { status: 429, meaning: "Too many requests; `retryAfter` gives the seconds to wait." },
  CLIENT_CLOSED_REQUEST: { status: 499, meaning: "The client left before the answer." },
  INTERNAL_SERVER_ERROR: { status: 500, meaning: "Our fault; the log has it under the request id." },
  UPSTREAM_ERROR: { status: 502, meaning: "The REST operation failed on its side." },
  BAD_UPSTREAM_RESPONSE: { status: 502, meaning: "The REST answer breaks its own contract." },
  UPSTREAM_UNAVAILABLE: { status: 503, meaning: "The product's REST service cannot be reached." },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: "This service cannot take the request now; `retryAfter` gives the seconds to wait.",
  },
  UPSTREAM_TIMEOUT: { status: 504, meaning: "The product's REST service did not answer in time." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type Code = keyof typeof codes;

/** The bounds that refuse requests with which nothing is wrong, as metrics and logs name them. */
export type BoundName =
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

/** A good request that is refused for now. The client may try again after so many seconds. */
export const refusedBy = (
  reason: BoundName,
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
  /** The bound that refused a good request. Operators see it; clients do not. */
  readonly reason: BoundName | undefined;

  constructor(code: Code, message: string, details: Details = {}, cause?: unknown, reason?: BoundName) {
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
export const overLimit = (limit: keyof Environment, value: number, message: string): CodedError =>
  new CodedError("LIMIT_EXCEEDED", message, { limit, value });

export const clientLeft = (): CodedError =>
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
export const codeOfStatus = (status: number): Code => byStatus.get(status) ?? "UPSTREAM_ERROR";

/** RFC 9457 problem details; `code` is our extension member. */
type Problem = {
  type: "about:blank";
  title: string;
  status: number;
  code: Code;
  detail: string;
} & Details;

/** The body of an answer that fails: the status, code, message and details of `error`, and nothing of its cause. */
export const problemOf = (error: CodedError): Problem => ({
  type: "about:blank",
  title: error.code,
  status: error.status,
  code: error.code,
  detail: error.message,
  ...error.details,
});
