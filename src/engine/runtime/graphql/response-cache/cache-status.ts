/** Writes `Cache-Status` (RFC 9211): how the response cache handled a request. Production does not send this header. */
import type { FastifyReply } from "fastify";
import type { Config } from "../../settings/config.ts";

/** The values of the header. `collapsed` means that the request shared the execution of an identical request (RFC 9211 §2). */
type CacheStatus = `hit; ttl=${number}` | "fwd=miss; collapsed" | "fwd=miss" | "fwd=method" | "fwd=bypass";

const cacheName = "restbound";

export const cacheStatusWriter =
  ({ production }: Config) =>
  (reply: FastifyReply, status: CacheStatus): void => {
    if (!production) reply.header("cache-status", `${cacheName}; ${status}`);
  };
