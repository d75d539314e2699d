/** Answers an OPTIONS request to GraphQL that is no CORS preflight, with the methods of the path (RFC 9110 §9.3.7). */
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { graphqlPath } from "./error-response.ts";

/** GET sends the explorer to a browser outside production, also where it takes no query. */
export function answerOptions(server: FastifyInstance, { env, production }: Config): void {
  const allow = env.GRAPHQL_GET || !production ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS";
  server.options(graphqlPath, async (_request, reply) => reply.code(204).header("allow", allow).send());
}
