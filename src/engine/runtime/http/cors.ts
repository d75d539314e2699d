/** Handles CORS on the role that clients connect to. Preflights contain no API key, so they are answered before the key check. */
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { CodedError } from "../coded-error.ts";
import type { Config } from "../settings/config.ts";
import { graphqlPath, mcpPath } from "./endpoint-paths.ts";

const exposedHeaders = [
  "x-request-id",
  "www-authenticate",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "deprecation",
  "sunset",
];

/** Allows pages of `origins` (`*` for any) to call with `methods`. Browsers cache this permission for ten minutes. */
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
 * Responds to OPTIONS requests for GraphQL that are not CORS preflights (RFC 9110 §9.3.7). Outside production, GET is allowed
 * even if queries by GET are off, because it returns the explorer to browsers.
 */
export function respondToOptions(server: FastifyInstance, { env, production }: Config): void {
  const allow = env.GRAPHQL_GET || !production ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS";
  server.allow.set(graphqlPath, allow);
  server.options(graphqlPath, async (_request, reply) => reply.code(204).header("allow", allow).send());
}

/**
 * Rejects MCP messages from browser pages of other origins, as the Model Context Protocol requires (2025-11-25, Transports,
 * "Security Warning"). Otherwise a page could use DNS rebinding to reach this server under the page's own host name.
 */
export function guardMcp(server: FastifyInstance, origins: readonly string[]): void {
  server.addHook("onRequest", async ({ url, routeOptions, headers: { origin } }) => {
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
    // the graphql role has a route for `mcpPath`; the gateway has none, so the path of its URL is compared
    if (routeOptions.url === mcpPath || url === mcpPath || url.startsWith(`${mcpPath}?`))
      throw new CodedError(
        "FORBIDDEN",
        "pages of this origin may not send MCP messages; CORS_ORIGINS lists the origins that may",
      );
  });
}
