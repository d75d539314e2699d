/** Headers that differ from request to request, whoever the caller is: the request's id, and its trace (W3C Trace Context). */
export const headersOfOneRequest: ReadonlySet<string> = new Set([
  "x-request-id",
  "traceparent",
  "tracestate",
]);
