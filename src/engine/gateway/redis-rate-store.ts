/**
 * The counts of the rate limits, which all gateways share through Redis (`REDIS_URL`). While Redis is down, hangs or refuses to
 * count, each gateway counts for itself and logs the failure once. No request is refused for it.
 */
import type { FastifyBaseLogger } from "fastify";
import { Deadline } from "../runtime/deadline.ts";
import { type WindowCount, windowMs } from "./rate-store.ts";
import { createRedis, prefix, redisCause } from "./redis.ts";

/** Milliseconds. A count that takes longer means that Redis hangs: it counts as down until it answers on a new connection. */
const timeoutMs = 250;
const longestPauseMs = 1_000;

export type RedisRateStore = {
  /** Counts a request of `key` for all gateways. Resolves with `undefined` while Redis does not count. */
  readonly count: (key: string) => Promise<WindowCount | undefined>;
  /** Whether Redis counts. */
  readonly isUp: () => boolean;
  readonly close: () => void;
};

export async function createRedisRateStore(url: URL, log: FastifyBaseLogger): Promise<RedisRateStore> {
  const client = await createRedis(url, {
    ...{ commandTimeout: 1_000, enableOfflineQueue: false },
    retryStrategy: (times) => Math.min(times * 50, longestPauseMs),
  });
  let [isDown, failedAt] = [false, 0];
  const tellDown = (cause: string): void => {
    if (!isDown) log.warn({ cause }, "REDIS_URL: down; each gateway counts for itself");
    [isDown, failedAt] = [true, performance.now()];
  };
  const tellUp = (): void => {
    if (isDown) log.warn("REDIS_URL: up again; gateways count together");
    isDown = false;
  };
  /** Fails the counts under way, so that no later request waits for Redis. `beganAt`: of the one that takes too long. */
  const connectAgain = (beganAt: number): void => {
    if (failedAt > beganAt) return;
    tellDown("ETIMEDOUT");
    client.disconnect(true);
  };
  client.on("error", (error: Error) => tellDown(redisCause(error)));
  client.on("ready", tellUp);
  const isConnected = (): boolean => client.status === "ready";
  return {
    count: async (key) => {
      if (!isConnected()) return undefined;
      const beganAt = performance.now();
      const deadline = new Deadline(timeoutMs, () => connectAgain(beganAt));
      const name = `${prefix}${key}`;
      try {
        // a transaction: no two gateways count a request twice, and no count is without its end
        const results = await client.multi().set(name, 0, "PX", windowMs, "NX").incr(name).pttl(name).exec();
        for (const [refusal] of results ?? []) if (refusal) throw refusal;
        const [, current, leftMs] = (results ?? []).map(([, value]) => Number(value));
        if (beganAt - failedAt > windowMs) tellUp();
        return current === undefined || leftMs === undefined ? undefined : { current, leftMs };
      } catch (error) {
        if ((error as Error).name === "ReplyError") tellDown(redisCause(error as Error));
        return undefined;
      } finally {
        deadline.clear();
      }
    },
    isUp: () => isConnected() && !isDown,
    close: () => client.disconnect(),
  };
}
