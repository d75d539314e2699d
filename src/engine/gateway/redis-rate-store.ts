/**
 * Rate limit counters that all gateways share through Redis (`REDIS_URL`). While Redis is down, hangs or rejects commands, each
 * gateway counts separately, and logs the failure once.
 */
import { once } from "node:events";
import type { FastifyBaseLogger } from "fastify";
import { Deadline } from "../runtime/deadline.ts";
import type { RedisAddress } from "../runtime/settings/redis-address.ts";
import { type WindowCount, windowMs } from "./rate-store.ts";
import { keepRedisOpen, prefix, type RedisClient, redisCause } from "./redis.ts";

/** If a count takes longer than `timeoutMs` milliseconds, no request waits for Redis during the next `hungMs`. */
const timeoutMs = 250;
const hungMs = 1_000;

export type RedisRateStore = {
  /** Counts a request of `key` for all gateways. Resolves with `undefined` while Redis is down. */
  readonly count: (key: string) => Promise<WindowCount | undefined>;
  /** Whether the gateways currently count in Redis. */
  readonly isUp: () => boolean;
  readonly close: () => void;
};

export function createRedisRateStore(addressOf: () => RedisAddress, log: FastifyBaseLogger): RedisRateStore {
  const closing = new AbortController();
  /** The connection, while it accepts commands. */
  let client: RedisClient | undefined;
  let isDown = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  let hungAt = Number.NEGATIVE_INFINITY;
  const markDown = (error: Error): void => {
    if (closing.signal.aborted) return;
    const fields = { cause: redisCause(error) };
    if (!isDown) log.warn(fields, "REDIS_URL: Redis is down; this gateway counts only its own requests");
    isDown = true;
    failedAt = performance.now();
  };
  const markUp = (): void => {
    if (isDown) log.warn("REDIS_URL: Redis is up again; the gateways share their counts");
    isDown = false;
  };
  const use = async (opened: RedisClient): Promise<void> => {
    client = opened;
    if (!opened.isCluster) markUp(); // an open connection to a cluster proves only that one node is up
    try {
      await once(opened, "end");
    } finally {
      client = undefined;
    }
  };
  void keepRedisOpen(addressOf, closing.signal, use, markDown);
  /**
   * Fails all pending counts and closes the connection, so that later requests do not wait for Redis. `beganAt` is the start of
   * the count that timed out.
   */
  const giveUp = (beganAt: number): void => {
    if (failedAt > beganAt) return;
    markDown(Object.assign(new Error("a count took too long"), { code: "ETIMEDOUT" }));
    hungAt = failedAt;
    client?.disconnect();
    client = undefined;
  };
  return {
    count: async (key) => {
      const beganAt = performance.now();
      if (!client || beganAt - hungAt < hungMs) return undefined;
      const deadline = new Deadline(timeoutMs, () => giveUp(beganAt));
      const name = `${prefix}${key}`;
      try {
        // the commands form a transaction, so that no counter exists without an expiry
        const results = await client.multi().set(name, 0, "PX", windowMs, "NX").incr(name).pttl(name).exec();
        for (const [refusal] of results ?? []) if (refusal) throw refusal;
        const [, current, leftMs] = (results ?? []).map(([, value]) => Number(value));
        if (beganAt - failedAt > windowMs) markUp();
        return current === undefined || leftMs === undefined ? undefined : { current, leftMs };
      } catch (error) {
        markDown(error as Error);
        return undefined;
      } finally {
        deadline.clear();
      }
    },
    isUp: () => client !== undefined && !isDown,
    close: () => closing.abort(),
  };
}
