/**
 * Fair shares in production: requests a minute by address, before a key is even looked up, and by API key. The
 * answer carries `RateLimit-Limit`, `-Remaining`, `-Reset` of the limit checked last; over it, 429 with `Retry-After`.
 * Counted in this process, with bounded memory; a fleet that must share counts does so in the front before it.
 */
import rateLimit, { type CreateRateLimitOptions } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";

type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
type KeyCheck = (request: FastifyRequest, reply: FastifyReply, apiKeyId: string) => Promise<void>;
export type RateLimits = { byAddress: Check; byKey: KeyCheck };

const windowMs = 60_000;
const maxCounted = 20_000;
const unlimited: RateLimits = { byAddress: async () => {}, byKey: async () => {} };

/** Checks that a route calls itself; they throw RATE_LIMITED, `retryAfter` in seconds. Outside production they let all pass. */
export async function createRateLimits(server: FastifyInstance, config: Config): Promise<RateLimits> {
  if (!config.production) return unlimited;
  await server.register(rateLimit, { global: false, cache: maxCounted });
  const keyIds = new WeakMap<FastifyRequest, string>();
  const limit = (options: CreateRateLimitOptions): Check => {
    const count = server.createRateLimit({ timeWindow: windowMs, ...options });
    return async (request, reply) => apply(reply, await count(request));
  };
  const byAddress = limit({ max: config.env.RATE_LIMIT_PER_ADDRESS });
  const byKeyId = limit({
    max: config.env.RATE_LIMIT_PER_KEY,
    keyGenerator: (request) => keyIds.get(request) ?? "",
  });
  return {
    byAddress,
    byKey: (request, reply, apiKeyId) => {
      keyIds.set(request, apiKeyId);
      return byKeyId(request, reply);
    },
  };
}

type Count = Awaited<ReturnType<ReturnType<FastifyInstance["createRateLimit"]>>>;

function apply(reply: FastifyReply, count: Count): void {
  if (count.isAllowed) return;
  reply.header("ratelimit-limit", count.max);
  reply.header("ratelimit-remaining", count.remaining);
  reply.header("ratelimit-reset", count.ttlInSeconds);
  if (!count.isExceeded) return;
  throw new CodedError("RATE_LIMITED", "too many requests", { retryAfter: Math.max(1, count.ttlInSeconds) });
}
