/** CORS of the front. A browser's preflight carries no key, so it is answered before the key is checked. */
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { CodedError } from "../coded-error.ts";
import type { Config } from "../settings/config.ts";
import { graphqlPath, mcpPath } from "./endpoint-paths.ts";

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

/**
 * Answers an OPTIONS request to GraphQL that is no CORS preflight, with the methods of the path (RFC 9110 §9.3.7). GET
 * sends the explorer to a browser outside production, also where it takes no query.
 */
export function respondToOptions(server: FastifyInstance, { env, production }: Config): void {
  const allow = env.GRAPHQL_GET || !production ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS";
  server.options(graphqlPath, async (_request, reply) => reply.code(204).header("allow", allow).send());
}

/**
 * Refuses messages of agents that a browser sends from a page of another origin, as the Model Context Protocol demands
 * (2025-11-25, Transports, "Security Warning"). A page can have a name of its own lead to this address (DNS rebinding).
 */
export function guardMcp(server: FastifyInstance, origins: readonly string[]): void {
  server.addHook("onRequest", async ({ url, routeOptions, headers: { origin } }) => {
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
    // the role finds the route of each spelling of the path; the gateway routes by the path itself
    if (routeOptions.url === mcpPath || url === mcpPath || url.startsWith(`${mcpPath}?`))
      throw new CodedError(
        "FORBIDDEN",
        "no page of this origin may send messages of agents; CORS_ORIGINS lists those that may",
      );
  });
}
