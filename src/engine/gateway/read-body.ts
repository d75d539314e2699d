/**
 * Buffers a request body. An upstream connection is taken once the body is complete, so that a slow client holds none.
 * `src/engine/http/bodies/slow-bodies.ts` bounds the time and the memory of unfinished bodies.
 */
import type { IncomingMessage } from "node:http";
import { CodedError, clientLeft } from "../errors.ts";
import { bodyTooLarge } from "../http/error-response.ts";

/**
 * Reads up to `max` bytes. Throws LIMIT_EXCEEDED (`MAX_BODY_BYTES`), CLIENT_CLOSED_REQUEST, or a refusal of
 * `SlowBodies`.
 */
export function readBody(request: IncomingMessage, max: number): Promise<Buffer> {
  // refused before the client sends it
  if (Number(request.headers["content-length"]) > max) return Promise.reject(bodyTooLarge(max));
  if (request.destroyed) return Promise.reject(clientLeft());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > max) reject(bodyTooLarge(max));
    else chunks.push(chunk);
  };
  const finish = (): void => resolve(Buffer.concat(chunks, bytes));
  const leave = (): void => reject(clientLeft());
  const fail = (error: Error): void => reject(error instanceof CodedError ? error : clientLeft());
  request.on("data", take).once("end", finish).once("error", fail).once("close", leave);
  return promise.finally(() => {
    request.off("data", take).off("end", finish).off("error", fail).off("close", leave);
  });
}
