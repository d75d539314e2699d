/** The closed list of error codes. GraphQL carries the code in `extensions.code`, REST in `application/problem+json` as `code`. */

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
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    meaning: "The product's REST service cannot be reached, or broke off before its answer was complete.",
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: "This service cannot take the request now; `retryAfter` gives the seconds to wait.",
  },
  SERVICE_TIMEOUT: {
    status: 504,
    meaning: "This service had no answer in time, and it is not the product's REST service that was slow.",
  },
  UPSTREAM_TIMEOUT: { status: 504, meaning: "The product's REST service did not answer in time." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type Code = keyof typeof codes;
