/**
 * Lets a client keep the response to a query by GET (RFC 9111), as REST allows to keep each response that it is made of.
 * Without an error, the response has an `ETag`, and a client that has it already gets a 304 (RFC 9110 §13.1.2).
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { addVary } from "../http/vary.ts";
import type { Answer } from "./answers/answer.ts";

/**
 * Sets the headers. Returns whether the client has the answer already. `credentials` names the headers that carry
 * credentials.
 */
export function letClientKeep(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { tag, cacheControl }: Answer,
  credentials: readonly string[],
): boolean {
  addVary(reply, "accept", "accept-language", ...credentials);
  reply.header("etag", tag).header("cache-control", cacheControl);
  return isIn(headers["if-none-match"] ?? "", tag);
}

/** The weak comparison (RFC 9110 §8.8.3.2) with each tag of a list. A tag holds no quote, so it is found by its text. */
const isIn = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.includes(tag.replace(/^W\//, ""));
