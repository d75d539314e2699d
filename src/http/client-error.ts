/**
 * Answers what Node's HTTP parser refuses before a request exists (RFC 9112 §2.2, §3.2, §6.1): malformed or smuggled
 * framing, headers over the limit, a request that never ends. Problem details like every other failure, and never a
 * word of what was sent.
 */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Environment } from "../config.ts";
import { CodedError, overLimit, problemOf } from "../errors.ts";

/** What Fastify hands over: Node's `clientError` event. */
type ClientError = Error & { code?: string };

export function answerClientError(error: ClientError, socket: Duplex, env: Environment): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  answer(socket, toCodedError(error, env));
}

/** CONNECT (RFC 9110 §9.3.6) asks for a tunnel; nothing here is one. */
export function answerConnect(_request: unknown, socket: Duplex): void {
  answer(socket, new CodedError("METHOD_NOT_ALLOWED", "this server opens no tunnels"));
}

function answer(socket: Duplex, error: CodedError): void {
  socket.on("error", () => {});
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(problemOf(error));
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nConnection: close\r\n` +
      `Content-Type: application/problem+json\r\nCache-Control: private, no-store\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function toCodedError(error: ClientError, env: Environment): CodedError {
  if (error.code === "HPE_HEADER_OVERFLOW")
    return overLimit("MAX_HEADER_BYTES", env.MAX_HEADER_BYTES, "the request headers are too large");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return overLimit("REQUEST_TIMEOUT_MS", env.REQUEST_TIMEOUT_MS, "the request did not arrive in time");
  return new CodedError("BAD_REQUEST", "the request is not well-formed HTTP");
}
