/** A semaphore that callers share fairly: a quota of permits, and a fair queue of the callers that wait for one. */
import type { Caller } from "./caller.ts";
import { createCallerQueue, type QueueEntry } from "./fair-queue.ts";
import { SharedQuota } from "./shared-quota.ts";

export class FairSemaphore {
  readonly quota: SharedQuota;
  readonly total: number;
  /** Number of tasks that completed with a permit. The code that uses the semaphore increments it. */
  completed = 0;
  readonly #queue = createCallerQueue();

  constructor(total: number) {
    this.total = total;
    this.quota = new SharedQuota(total);
  }

  /**
   * Acquires a permit for `entry`. If no permit is free or the owner of `entry` already waits, queues `entry` and returns `false`.
   */
  enter(entry: QueueEntry<Caller>): boolean {
    if (!this.#queue.has(entry.owner) && !this.quota.take(entry.owner, 1)) return true;
    this.#queue.wait(entry);
    return false;
  }

  /** Removes `entry` from the queue. If it has a permit, releases the permit, and the next entries begin. */
  leave(entry: QueueEntry<Caller>): void {
    if (this.#queue.leave(entry)) return;
    this.quota.giveBack(entry.owner, 1);
    while (this.#queue.size > 0 && this.#queue.next((owner) => !this.quota.take(owner, 1)));
  }

  /** Runs `work` with a permit. */
  async run<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    const entry = { owner: caller, begin };
    if (!this.enter(entry)) await promise;
    try {
      return await work();
    } finally {
      this.leave(entry);
    }
  }
}
