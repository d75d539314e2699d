/** CORS of the front role. A browser's preflight has no key, so it is answered before the key is checked. */
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { CodedError } from "../coded-error.ts";
import type { Config } from "../settings/config.ts";
import { graphqlPath, mcpPath } from "./endpoint-paths.ts";

/** The response headers that scripts may read. */
const exposedHeaders = [
  "x-request-id",
  "www-authenticate",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "deprecation",
  "sunset",
];

/**
 * Allows pages of `origins` (`*`: any) to call with `methods`; browsers cache this for ten minutes. Without origins, CORS is off.
 */
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
 * Answers OPTIONS requests to GraphQL that are not CORS preflights with the allowed methods (RFC 9110 §9.3.7). Outside
 * production GET returns the explorer to browsers, even if queries by GET are off.
 */
export function respondToOptions(server: FastifyInstance, { env, production }: Config): void {
  const allow = env.GRAPHQL_GET || !production ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS";
  server.allow.set(graphqlPath, allow);
  server.options(graphqlPath, async (_request, reply) => reply.code(204).header("allow", allow).send());
}

/**
 * Rejects MCP messages that a browser sends from a page of another origin, as the Model Context Protocol requires (2025-11-25,
 * Transports, "Security Warning"). Otherwise, a page could reach this server under the page's own host name, by DNS rebinding.
 */
export function guardMcp(server: FastifyInstance, origins: readonly string[]): void {
  server.addHook("onRequest", async ({ url, routeOptions, headers: { origin } }) => {
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
    // the graphql role's router recognises every spelling of the path; the gateway routes by the path itself
    if (routeOptions.url === mcpPath || url === mcpPath || url.startsWith(`${mcpPath}?`))
      throw new CodedError(
        "FORBIDDEN",
        "pages of this origin may not send MCP messages; CORS_ORIGINS lists the origins that may",
      );
  });
}
