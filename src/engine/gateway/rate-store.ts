/**
 * The store of @fastify/rate-limit on the monotonic clock. The library's own store reads the wall clock: if that clock
 * is set back by an hour, the store refuses requests for an hour.
 */
import type { FastifyRateLimitStore } from "@fastify/rate-limit";
import { LRUCache } from "lru-cache";
import { countedClients } from "../settings/capacity.ts";

type Done = Parameters<FastifyRateLimitStore["incr"]>[1];
type Window = { current: number; readonly endsAt: number };

export class RateStore implements FastifyRateLimitStore {
  /** Address or key → its window. The least recently seen one is dropped. */
  readonly #windows = new LRUCache<string, Window>({ max: countedClients });

  /** Counts a request of `key`. Reports the requests in its window, and the ms until the window ends. */
  incr(key: string, done: Done, windowMs: number): void {
    const now = performance.now();
    const known = this.#windows.get(key);
    const window = known && now < known.endsAt ? known : { current: 0, endsAt: now + windowMs };
    window.current++;
    this.#windows.set(key, window);
    done(null, { current: window.current, ttl: window.endsAt - now });
  }

  /** Makes the store of another limit. */
  child(): FastifyRateLimitStore {
    return new RateStore();
  }
}
