/** CORS of a role that is the front, by setting. A browser's preflight carries no key: it is answered before one is asked for. */
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** What a script may read of an answer, beside its body. */
const exposedHeaders = [
  "x-request-id",
  "retry-after",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
];

/** Lets pages of `origins` call (`*`: of any) by `methods`, and remember that for ten minutes; no origin, no CORS. */
export async function allowOrigins(
  server: FastifyInstance,
  origins: readonly string[],
  methods: string[],
): Promise<void> {
  if (origins.length === 0) return;
  await server.register(cors, {
    origin: [...origins],
    strictPreflight: false,
    exposedHeaders,
    methods,
    maxAge: 600,
  });
}
