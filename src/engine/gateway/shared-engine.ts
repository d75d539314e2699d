/**
 * The gateways of a fleet share the counts of the rate limits and the news of revoked keys through Redis or Valkey
 * (`REDIS_URL`). While the engine is down, hangs or refuses to count, each gateway counts for itself and logs the failure once.
 * It refuses no request because of the failure. Whoever revokes a key publishes the key's id on the channel
 * `restbound:revoked`.
 */
import type { FastifyBaseLogger } from "fastify";
import { Redis, ReplyError } from "ioredis";
import { prefix, revokedChannel } from "../http/revoked-channel.ts";
import { Deadline } from "../time/deadline.ts";
import { type Count, windowMs } from "./rate-store.ts";

/** Milliseconds. If a count takes longer, the engine hangs: it counts as down until it answers on a new connection. */
const timeoutMs = 250;
const longestPauseMs = 1_000;

export type SharedEngine = {
  /** Counts a request of `key` for all gateways. Resolves with `undefined` while the engine does not count. */
  readonly count: (key: string) => Promise<Count | undefined>;
  /** Whether the engine counts. */
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
  let [isDown, failedAt] = [false, 0];
  const tellDown = (cause: string): void => {
    if (!isDown) log.warn({ cause }, "REDIS_URL: down; each gateway counts for itself");
    [isDown, failedAt] = [true, performance.now()];
  };
  const tellUp = (): void => {
    if (isDown) log.warn("REDIS_URL: up again; gateways count together");
    isDown = false;
  };
  /** Fails the counts under way, so that no later request waits for the engine. `beganAt`: of the one that takes too long. */
  const connectAgain = (beganAt: number): void => {
    if (failedAt > beganAt) return;
    tellDown("ETIMEDOUT");
    for (const connection of [counts, news]) connection.disconnect(true);
  };
  counts.on("error", (error: Error & { code?: string }) => tellDown(error.code ?? error.name));
  counts.on("ready", tellUp);
  news.on("error", () => {}); // the connection `counts` logs the same failure
  news.on("message", (_channel, apiKeyId) => forget(apiKeyId));
  news.subscribe(revokedChannel).catch(() => {}); // a later connection subscribes again
  const isConnected = (): boolean => counts.status === "ready";
  return {
    count: async (key) => {
      if (!isConnected()) return undefined;
      const beganAt = performance.now();
      const deadline = new Deadline(timeoutMs, () => connectAgain(beganAt));
      const name = `${prefix}${key}`;
      try {
        // a transaction: no two gateways count a request twice, and no count is without its end
        const results = await counts.multi().set(name, 0, "PX", windowMs, "NX").incr(name).pttl(name).exec();
        for (const [refusal] of results ?? []) if (refusal) throw refusal;
        const [, current, leftMs] = (results ?? []).map(([, value]) => Number(value));
        if (beganAt - failedAt > windowMs) tellUp();
        return current === undefined || leftMs === undefined ? undefined : { current, leftMs };
      } catch (error) {
        if (error instanceof ReplyError) tellDown(refusalOf(error as Error));
        return undefined;
      } finally {
        deadline.clear();
      }
    },
    isUp: () => isConnected() && !isDown,
    close: () => {
      counts.disconnect();
      news.disconnect();
    },
  };
}

/** The first word of the engine's refusal: `READONLY`, `OOM`, `NOPERM`. That of a transaction names those of its commands. */
function refusalOf({ message, previousErrors }: Error & { previousErrors?: readonly Error[] }): string {
  const [word = ""] = (previousErrors?.[0]?.message ?? message).split(" ");
  return word;
}
