/**
 * Looks up cached keys again if their revocation may have been missed, before the cache stops accepting them. Starts with the
 * most used keys, at a limited rate. A key itself is in memory only while its lookup waits, because the cache stores digests.
 */
import { revalidations } from "../runtime/settings/capacity.ts";

type Job<Entry> = {
  readonly key: string;
  readonly digest: string;
  readonly owner: string;
  readonly entry: Entry;
};
type Options<Entry> = {
  readonly mostWaiting: number;
  /** While this many lookups are running, no further lookup is started. */
  readonly mostRunning: number;
  readonly running: () => number;
  readonly isDue: (job: Job<Entry>) => boolean;
  readonly lookUp: (job: Job<Entry>) => Promise<unknown>;
};

const tickMs = 50;
const startsPerTick = (revalidations.perSecond * tickMs) / 1_000;

/** `uses` counts the requests with the key since `lookedUpAt`, when its last lookup began. */
export class Revalidation<Entry extends { readonly lookedUpAt: number; readonly uses: number }> {
  readonly #options: Options<Entry>;
  readonly #waiting = new Map<string, Job<Entry>>();
  /** The jobs whose lookups start next: at most `revalidations.perSecond`. */
  #next: Job<Entry>[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options<Entry>) {
    this.#options = options;
  }

  add(job: Job<Entry>): void {
    if (this.#waiting.size >= this.#options.mostWaiting && !this.#waiting.has(job.digest)) return;
    this.#waiting.set(job.digest, job);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
  }

  #tick(): void {
    if (this.#next.length === 0) this.#next = this.#mostUsed(revalidations.perSecond);
    const free = this.#options.mostRunning - this.#options.running();
    for (const job of this.#next.splice(0, Math.max(Math.min(startsPerTick, free), 0))) {
      this.#waiting.delete(job.digest);
      if (!this.#options.isDue(job)) continue;
      this.#options.lookUp(job).catch(() => {}); // after a failure, the entry stays until it expires
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#next = [];
  }

  /** Returns the jobs with the most uses per second since their lookup. Drops jobs that are no longer due. */
  #mostUsed(count: number): Job<Entry>[] {
    for (const [digest, job] of this.#waiting) if (!this.#options.isDue(job)) this.#waiting.delete(digest);
    const now = performance.now();
    const rated = [...this.#waiting.values()].map((job) => ({
      job,
      rate: job.entry.uses / Math.max(now - job.entry.lookedUpAt, 1),
    }));
    return rated
      .sort((one, other) => other.rate - one.rate)
      .slice(0, count)
      .map(({ job }) => job);
  }
}
