/** Counts within one-minute windows. Uses the monotonic clock, because setting back a wall clock would prolong a window. */
import { LRUCache } from "lru-cache";
import { countedClients } from "../runtime/settings/capacity.ts";

type Window = { current: number; readonly endsAt: number };
/** The count of a window, and the milliseconds until the window ends. */
export type WindowCount = { readonly current: number; readonly leftMs: number };

export const windowMs = 60_000;

export class RateStore {
  /** The windows by address or key. The least recently used window is evicted. */
  readonly #windows = new LRUCache<string, Window>({ max: countedClients });

  /** Adds `more` to the count of `key`. If `more` is 0, only returns the count. */
  count(key: string, more = 1): WindowCount {
    const now = performance.now();
    const existing = this.#windows.get(key);
    const window = existing && now < existing.endsAt ? existing : { current: 0, endsAt: now + windowMs };
    window.current += more;
    if (more > 0) this.#windows.set(key, window);
    return { current: window.current, leftMs: Math.round(window.endsAt - now) };
  }
}
