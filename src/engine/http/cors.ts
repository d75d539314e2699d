/** CORS of the front. A browser's preflight carries no key, so it is answered before the key is checked. */
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** The response headers that a script may read. */
const exposedHeaders = [
  "x-request-id",
  "retry-after",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "deprecation",
  "sunset",
];

/** Allows pages of `origins` (`*`: any) to call with `methods`; browsers cache that for ten minutes. No origin: no CORS. */
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
