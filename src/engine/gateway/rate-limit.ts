/**
 * Limits the requests per minute of each address and of each API key. The address is checked before the key. Outside production,
 * only configured limits apply, plus a limit per address for requests without a key.
 *
 * The response has the headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11) of the limit that was
 * checked last. A request above a limit gets a 429 with `Retry-After`. Each process counts separately, in bounded memory, unless
 * all gateways count in Redis (`REDIS_URL`).
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type LimitName, refusedByLimit } from "../runtime/coded-error.ts";
import { addressBlock } from "../runtime/http/address-block.ts";
import { keylessRequests } from "../runtime/settings/capacity.ts";
import type { Config } from "../runtime/settings/config.ts";
import { RateStore } from "./rate-store.ts";
import type { RedisRateStore } from "./redis-rate-store.ts";

/** Counts the request. Throws RATE_LIMITED if the request is above the limit, with `retryAfter` in seconds. */
type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
/** `shared` contains the counters of all gateways. While Redis is down, each process counts separately. */
export function createRateLimits({ env }: Config, shared: RedisRateStore | undefined) {
  const limit = (bound: LimitName, max: number, keyOf: (request: FastifyRequest) => string): Check => {
    if (max === Number.POSITIVE_INFINITY) return async () => {};
    const own = new RateStore();
    return async (request, reply) => {
      const key = keyOf(request);
      const { current, leftMs } = (await shared?.count(`${bound}:${key}`)) ?? own.count(key);
      const left = Math.max(0, max - current);
      const seconds = Math.ceil(leftMs / 1_000);
      request.record.rateLeft ??= [];
      request.record.rateLeft.push({ bound, left: left / max });
      reply.headers({
        "ratelimit-policy": `"${bound}";q=${max};w=60`,
        ratelimit: `"${bound}";r=${left};t=${seconds}`,
      });
      if (current > max)
        throw refusedByLimit(bound, "RATE_LIMITED", "too many requests", Math.max(1, seconds));
    };
  };
  const addressOf = ({ ip }: FastifyRequest): string => addressBlock(ip);
  return {
    byAddress: limit("address_rate", env.RATE_LIMIT_PER_ADDRESS, addressOf),
    keyless: limit("keyless_rate", keylessRequests.perMinute, addressOf),
    /** Counts by `record.keyId`, which must be set before. */
    byKey: limit("key_rate", env.RATE_LIMIT_PER_KEY, ({ record }) => record.keyId ?? ""),
  };
}
