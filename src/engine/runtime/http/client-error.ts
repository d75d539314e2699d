/**
 * Responds to data that Node's HTTP parser rejects (RFC 9112 §2.2, §3.2, §6.1): malformed or ambiguous framing, headers above the
 * limit, a request that never ends. Fastify does not see such a request. The response does not repeat any of the data.
 */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { CodedError, limitExceeded } from "../coded-error.ts";
import type { Environment } from "../settings/environment.ts";
import type { ClientConnection } from "./connections.ts";
import { errorBody } from "./error-response.ts";

type ClientError = Error & { code?: string; rawPacket?: unknown };

/**
 * Calls `refuse`, unless the error is a timeout and the rest of the request has meanwhile arrived. Node checks timeouts before it
 * reads sockets, so it would reject a request that arrived during a pause of the process.
 */
export function rejectUnlessComplete(
  error: ClientError,
  connection: Pick<ClientConnection, "socket" | "last" | "bytesBefore">,
  refuse: () => void,
): void {
  if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT") return refuse();
  setImmediate(() => {
    const { socket, last, bytesBefore } = connection;
    const isComplete = last ? last.req.complete : socket.bytesRead === bytesBefore;
    if (!isComplete) refuse();
  });
}

/** Responds with an error and returns it. If a response has already begun, closes the connection instead. */
export function respondToClientError(
  error: ClientError,
  socket: Duplex,
  env: Environment,
  { last }: Pick<ClientConnection, "last">,
): CodedError | undefined {
  if (error.code === "ECONNRESET" || socket.destroyed) return undefined;
  const isAnswered = last?.headersSent && !(last.writableFinished && last.req.complete);
  if (isAnswered) {
    socket.destroy();
    return undefined;
  }
  const refusal = toCodedError(error, env);
  answer(socket, refusal, requestTarget(error));
  return refusal;
}

/** Rejects CONNECT requests (RFC 9110 §9.3.6). */
export function respondToConnect(_request: unknown, socket: Duplex): void {
  answer(socket, new CodedError("METHOD_NOT_ALLOWED", "this server does not support tunnels"));
}

function answer(socket: Duplex, error: CodedError, url?: string): void {
  socket.on("error", () => {});
  if (!socket.writable) return void socket.destroy();
  const { type, body } = errorBody(error, { url, accept: undefined });
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nConnection: close\r\n` +
      `Content-Type: ${type}\r\nCache-Control: private, no-store\r\nX-Content-Type-Options: nosniff\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** Returns the request target if the rejected bytes begin with a request line. */
function requestTarget({ rawPacket }: ClientError): string | undefined {
  const begin = Buffer.isBuffer(rawPacket) ? rawPacket.toString("latin1", 0, 4_096) : "";
  return /^[A-Z]+ (\/\S*) HTTP\/1\.[01]\r\n/.exec(begin)?.[1];
}

function toCodedError(error: ClientError, env: Environment): CodedError {
  if (error.code === "HPE_HEADER_OVERFLOW")
    return limitExceeded("MAX_HEADER_BYTES", env.MAX_HEADER_BYTES, "the request headers are too large");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new CodedError("REQUEST_TIMEOUT", "the request did not arrive in time");
  const message =
    error.code === "HPE_PAUSED_H2_UPGRADE"
      ? "this server speaks HTTP/1.1, not HTTP/2"
      : "the request is not well-formed HTTP";
  return new CodedError("BAD_REQUEST", message, {}, { cause: error }); // the log shows the parser's code as `cause`
}
