/**
 * The closed list of error codes. GraphQL responses have the code in `extensions.code`, REST responses in the member `code` of
 * `application/problem+json`.
 */

/** Maps each code to its meaning and to the HTTP status of a REST response with this code. */
export const codes = {
  BAD_REQUEST: { status: 400, meaning: "The request itself is malformed." },
  BAD_USER_INPUT: { status: 400, meaning: "An argument's value was rejected; `argument` names it." },
  GRAPHQL_PARSE_FAILED: { status: 400, meaning: "The document has a syntax error." },
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
  NOT_FOUND: { status: 404, meaning: "The resource does not exist, or not for this tenant." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path does not support this method." },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: "The request did not arrive in time, or its body arrived too slowly.",
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "The request body has an unsupported media type." },
  CONFLICT: { status: 409, meaning: "The request contradicts what is stored." },
  RATE_LIMITED: { status: 429, meaning: "Too many requests; `retryAfter` gives the seconds to wait." },
  CLIENT_CLOSED_REQUEST: { status: 499, meaning: "The client disconnected before the response." },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    meaning: "An internal error; the log has its details under the request id.",
  },
  UPSTREAM_ERROR: { status: 502, meaning: "The REST service failed." },
  BAD_UPSTREAM_RESPONSE: { status: 502, meaning: "The REST response does not match its OpenAPI document." },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    meaning: "The product's REST service cannot be reached, or its response was cut off.",
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: "This service cannot accept the request at the moment; `retryAfter` gives the seconds to wait.",
  },
  SERVICE_TIMEOUT: {
    status: 504,
    meaning: "This service did not respond in time, although the product's REST service was not the cause.",
  },
  UPSTREAM_TIMEOUT: { status: 504, meaning: "The product's REST service did not answer in time." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type Code = keyof typeof codes;
