/**
 * The gateways of a fleet share the counts of the rate limits and the news of revoked keys through Redis or Valkey
 * (`REDIS_URL`). While the engine is down or hangs, each gateway counts for itself and logs the failure once. It refuses no
 * request because of the failure. Whoever revokes a key publishes the key's id on the channel
 * `restbound:revoked`.
 */
import { createRequire } from "node:module";
import type { FastifyRateLimitStore } from "@fastify/rate-limit";
import type { FastifyBaseLogger } from "fastify";
import { Redis } from "ioredis";
import { prefix, revokedChannel } from "../http/revoked-channel.ts";
import { Deadline } from "../time/deadline.ts";
import { RateStore } from "./rate-store.ts";

/** Milliseconds. If a count takes longer, the engine hangs: it counts as down until it answers on a new connection. */
const timeoutMs = 250;
const longestPauseMs = 1_000;

type Done = Parameters<FastifyRateLimitStore["incr"]>[1];
type Store = { incr(key: string, done: Done, windowMs: number, max: number): void };

/** The library's own store. The library declares no types for it. */
const RedisStore = createRequire(import.meta.url)("@fastify/rate-limit/store/RedisStore") as new (
  continueExceeding: boolean,
  exponentialBackoff: boolean,
  redis: Redis,
  prefix: string,
) => Store;

export type SharedEngine = {
  /** The class of the stores that @fastify/rate-limit makes. */
  readonly store: new () => FastifyRateLimitStore;
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

  class SharedStore {
    readonly #own = new RateStore();
    readonly #shared: Store;

    constructor(name = "") {
      this.#shared = new RedisStore(false, false, counts, `${prefix}${name}:`);
    }

    incr(key: string, done: Done, windowMs: number, max: number): void {
      if (counts.status !== "ready") return this.#own.incr(key, done);
      const deadline = new Deadline(timeoutMs, connectAgain);
      this.#shared.incr(
        key,
        (error, counted) => {
          deadline.clear();
          if (error || counted === null) this.#own.incr(key, done);
          else done(null, counted);
        },
        windowMs,
        max,
      );
    }

    /** The store of one limit. The library's own store gives all limits the same prefix. */
    child(options: object): SharedStore {
      return new SharedStore("groupId" in options ? String(options.groupId) : "");
    }
  }
  return {
    store: SharedStore as unknown as SharedEngine["store"],
    isUp: () => counts.status === "ready",
    close: () => {
      counts.disconnect();
      news.disconnect();
    },
  };
}
