/**
 * The gateways of a fleet share the counts of the rate limits and the news of revoked keys through Redis or Valkey
 * (`REDIS_URL`). While the engine is down or hangs, each gateway counts for itself and logs the failure once. It refuses no
 * request because of the failure. Whoever revokes a key publishes the key's id on the channel
 * `restbound:revoked`.
 */
import type { FastifyBaseLogger } from "fastify";
import { Redis } from "ioredis";
import { prefix, revokedChannel } from "../http/revoked-channel.ts";
import { Deadline } from "../time/deadline.ts";
import { type Count, windowMs } from "./rate-store.ts";

/** Milliseconds. If a count takes longer, the engine hangs: it counts as down until it answers on a new connection. */
const timeoutMs = 250;
const longestPauseMs = 1_000;

export type SharedEngine = {
  /** Counts a request of `key` for all gateways. Resolves with `undefined` while the engine does not answer. */
  readonly count: (key: string) => Promise<Count | undefined>;
  /** Whether the engine answers. */
  readonly isUp: () => boolean;
  readonly close: () => void;
};

/** `forget` is called with the id of each key that is revoked. */
export function connectSharedEngine(
  url: URL,
  log: FastifyBaseLogger,
  forget: (apiKeyId: string) => void,
): SharedEngine {
  const options = {
    ...{
      connectTimeout: 1_000,
      commandTimeout: 1_000,
      disconnectTimeout: 1,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
    },
    retryStrategy: (times: number) => Math.min(times * 50, longestPauseMs),
  };
  const counts = new Redis(url.href, options);
  const news = new Redis(url.href, { ...options, enableOfflineQueue: true, maxRetriesPerRequest: null });
  let isDown = false;
  const tellDown = (cause: string): void => {
    if (!isDown) log.warn({ cause }, "REDIS_URL: down; each gateway counts for itself");
    isDown = true;
  };
  /** Fails the counts under way, so that no later request waits for the engine. */
  const connectAgain = (): void => {
    if (isDown) return;
    tellDown("ETIMEDOUT");
    for (const connection of [counts, news]) connection.disconnect(true);
  };
  counts.on("error", (error: Error & { code?: string }) => tellDown(error.code ?? error.name));
  counts.on("ready", () => {
    if (isDown) log.warn("REDIS_URL: up again; gateways count together");
    isDown = false;
  });
  news.on("error", () => {}); // the connection `counts` logs the same failure
  news.on("message", (_channel, apiKeyId) => forget(apiKeyId));
  news.subscribe(revokedChannel).catch(() => {}); // a later connection subscribes again
  const isUp = (): boolean => counts.status === "ready";
  return {
    count: async (key) => {
      if (!isUp()) return undefined;
      const deadline = new Deadline(timeoutMs, connectAgain);
      const name = `${prefix}${key}`;
      try {
        // a transaction: no two gateways count a request twice, and no count is without its end
        const results = await counts.multi().set(name, 0, "PX", windowMs, "NX").incr(name).pttl(name).exec();
        const [, current, leftMs] = (results ?? []).map(([, value]) => Number(value));
        return current === undefined || leftMs === undefined ? undefined : { current, leftMs };
      } catch {
        return undefined;
      } finally {
        deadline.clear();
      }
    },
    isUp,
    close: () => {
      counts.disconnect();
      news.disconnect();
    },
  };
}
