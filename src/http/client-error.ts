/**
 * Answers what Node's HTTP parser refuses before a request exists (RFC 9112 §2.2, §3.2, §6.1): malformed or smuggled
 * framing, headers over the limit, a request that never ends. Problem details like every other failure, and never a
 * word of what was sent.
 */
import type { Socket } from "node:net";
import { CodedError, problemOf } from "../errors.ts";

/** What Fastify hands over: Node's `clientError` event. */
export type ClientError = Error & { code?: string };

export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(problemOf(toCodedError(error)));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function toCodedError(error: ClientError): CodedError {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return new CodedError("LIMIT_EXCEEDED", "the request headers are too large", { limit: "MAX_HEADER_BYTES" });
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new CodedError("LIMIT_EXCEEDED", "the request did not arrive in time", { limit: "REQUEST_TIMEOUT_MS" });
  }
  return new CodedError("BAD_REQUEST", "the request is not well-formed HTTP");
}
