/**
 * Error responses of all roles. The path determines the format: on `/v1/graphql` a GraphQL response (GraphQL over HTTP §6) in the
 * media type that the client accepts, on other paths problem details (RFC 9457). Status and headers do not depend on the path.
 */
import type { FastifyError, FastifyReply } from "fastify";
import { CodedError, codeForStatus, limitExceeded, problemDetails } from "../coded-error.ts";
import type { resourceMetadata } from "../settings/token-settings.ts";
import { graphqlPath } from "./endpoint-paths.ts";
import { json, mediaTypeFor } from "./graphql-media-type.ts";

/** What an error response depends on. `requestId` is absent if Fastify did not see the request. */
type RequestInfo = { url: string | undefined; accept: string | undefined; requestId?: string };

/** Returns the media type and the text of the body. The body does not contain the cause of the error. */
export function errorBody(
  error: CodedError,
  { url = "", accept, requestId }: RequestInfo,
): { type: string; body: string } {
  if (url !== graphqlPath && !url.startsWith(`${graphqlPath}?`))
    return { type: "application/problem+json", body: JSON.stringify(problemDetails(error)) };
  const { message, code, details } = error;
  const errors = [{ message, extensions: { code, requestId, ...details } }];
  return { type: mediaTypeFor(accept) ?? json, body: JSON.stringify({ errors }) };
}

/**
 * Returns `WWW-Authenticate` with the authentication schemes (RFC 9110 §11.6.1), the URL of the resource's metadata (RFC 9728
 * §5.1) and the scopes to request (RFC 6750 §3).
 */
export function challengeOf(metadata?: ReturnType<typeof resourceMetadata>): string {
  const { url, content } = metadata ?? {};
  const scope = content?.scopes_supported && `, scope="${content.scopes_supported.join(" ")}"`;
  return `Bearer realm="api"${scope ?? ""}${url ? `, resource_metadata="${url}"` : ""}, ApiKey realm="api"`;
}

/** Returns `WWW-Authenticate` for a 403 (RFC 6750 §3.1). The gateway adds the URL of its resource's metadata. */
export const insufficientScope = (scopes: readonly string[]): string =>
  `Bearer realm="api", error="insufficient_scope", scope="${scopes.join(" ")}"`;

/** A 401 lists the authentication schemes (RFC 9110 §11.6.1), a 415 the supported media type or content coding (§15.5.16). */
export function sendError(reply: FastifyReply, error: CodedError): FastifyReply {
  const { id: requestId, headers, raw, record } = reply.request;
  record.fail(error);
  if (error.status === 401) reply.header("www-authenticate", reply.server.challenge);
  if (error.status === 415 && !reply.hasHeader("accept-encoding")) reply.header("accept", "application/json");
  if (error.details.retryAfter) reply.header("retry-after", String(error.details.retryAfter));
  const { type, body } = errorBody(error, { url: raw.url, accept: headers.accept, requestId });
  return reply.code(error.status).header("cache-control", "private, no-store").type(type).send(body);
}

export function codedErrorOf(error: FastifyError, maxBodyBytes: number): CodedError {
  if (error instanceof CodedError) return error;
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500)
    return new CodedError("INTERNAL_SERVER_ERROR", "internal error", {}, { cause: error });
  if (status === 413) return limitExceeded("MAX_BODY_BYTES", maxBodyBytes, "the request body is too large");
  if (status === 415)
    return new CodedError(
      "UNSUPPORTED_MEDIA_TYPE",
      "the request body must be application/json",
      {},
      { cause: error },
    );
  const code = codeForStatus(status);
  return new CodedError(
    code === "UPSTREAM_ERROR" || code === "BAD_USER_INPUT" ? "BAD_REQUEST" : code,
    error.message,
    {},
    { cause: error },
  );
}
