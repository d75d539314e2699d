/** Answers an OPTIONS request that is no CORS preflight, with the methods of the path (RFC 9110 §9.3.7). */
import type { FastifyInstance } from "fastify";

/** Answers OPTIONS of `url` with 204 and `allow`. */
export function answerOptions(server: FastifyInstance, url: string, allow: readonly string[]): void {
  server.options(url, async (_request, reply) => reply.code(204).header("allow", allow.join(", ")).send());
}
