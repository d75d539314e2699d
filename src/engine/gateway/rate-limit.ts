/**
 * Rate limits: requests a minute of each address, checked before the key, and of each API key; outside production only
 * those that are set. The response carries `RateLimit-Limit`, `-Remaining` and `-Reset` of the limit that was checked last;
 * over the limit it is a 429 with `Retry-After`. Each process counts for itself, in bounded memory, or all gateways count
 * together in `REDIS_URL`.
 */
import rateLimit, { type CreateRateLimitOptions } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { type BoundName, refusedBy } from "../errors.ts";
import { addressBlock } from "../http/address-block.ts";
import { RateStore, windowMs } from "./rate-store.ts";
import type { SharedEngine } from "./shared-engine.ts";

type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
type RateLimits = {
  readonly byAddress: Check;
  /** By the API key, whose id is in the request's record. */
  readonly byKey: Check;
};

/** The route calls the checks. They throw RATE_LIMITED with `retryAfter` in seconds. */
export async function createRateLimits(
  server: FastifyInstance,
  config: Config,
  store: SharedEngine["store"] = RateStore,
): Promise<RateLimits> {
  await server.register(rateLimit, { global: false, store });
  const limit = (bound: BoundName, options: CreateRateLimitOptions & { readonly max: number }): Check => {
    if (options.max === Number.POSITIVE_INFINITY) return async () => {};
    const count = server.createRateLimit({
      timeWindow: windowMs,
      ...options,
      ...({ groupId: bound } as object),
    });
    return async (request, reply) => apply(bound, request, reply, await count(request));
  };
  const byAddress = limit("address_rate", {
    max: config.env.RATE_LIMIT_PER_ADDRESS,
    keyGenerator: ({ ip }) => addressBlock(ip),
  });
  const byKey = limit("key_rate", {
    max: config.env.RATE_LIMIT_PER_KEY,
    keyGenerator: ({ record }) => record.keyId ?? "",
  });
  return { byAddress, byKey };
}

type Count = Awaited<ReturnType<ReturnType<FastifyInstance["createRateLimit"]>>>;

function apply(bound: BoundName, { record }: FastifyRequest, reply: FastifyReply, count: Count): void {
  if (count.isAllowed) return;
  record.rateLeft ??= [];
  record.rateLeft.push({ bound, left: count.remaining / count.max });
  reply.header("ratelimit-limit", count.max);
  reply.header("ratelimit-remaining", count.remaining);
  reply.header("ratelimit-reset", count.ttlInSeconds);
  if (!count.isExceeded) return;
  throw refusedBy(bound, "RATE_LIMITED", "too many requests", Math.max(1, count.ttlInSeconds));
}
