/**
 * Counts within a minute: the store of @fastify/rate-limit on the monotonic clock, and the counts that no request needs a
 * limit of its own for. The library's own store reads the wall clock: if that clock is set back by an hour, the store
 * refuses requests for an hour.
 */
import type { FastifyRateLimitStore } from "@fastify/rate-limit";
import { LRUCache } from "lru-cache";
import { countedClients } from "../settings/capacity.ts";

type Done = Parameters<FastifyRateLimitStore["incr"]>[1];
type Window = { current: number; readonly endsAt: number };

export const windowMs = 60_000;

export class RateStore implements FastifyRateLimitStore {
  /** Address or key → its window. The least recently seen one is dropped. */
  readonly #windows = new LRUCache<string, Window>({ max: countedClients });

  incr(key: string, done: Done): void {
    const { current, leftMs } = this.count(key);
    done(null, { current, ttl: leftMs });
  }

  /** Counts `more` for `key`. Returns the count of its window, and the ms until the window ends. */
  count(key: string, more = 1): { readonly current: number; readonly leftMs: number } {
    const now = performance.now();
    const known = this.#windows.get(key);
    const window = known && now < known.endsAt ? known : { current: 0, endsAt: now + windowMs };
    window.current += more;
    if (more > 0) this.#windows.set(key, window);
    return { current: window.current, leftMs: window.endsAt - now };
  }

  /** Makes the store of another limit. */
  child(): FastifyRateLimitStore {
    return new RateStore();
  }
}
