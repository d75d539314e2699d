/** A semaphore whose permits are shared fairly between callers. Callers that wait for a permit are served round robin. */
import type { Caller } from "./caller.ts";
import { createCallerQueue, type QueueEntry } from "./fair-queue.ts";
import { SharedQuota } from "./shared-quota.ts";

export class FairSemaphore {
  readonly quota: SharedQuota;
  readonly total: number;
  /** Number of tasks that completed with a permit. The code that acquires the permits increments this number. */
  completed = 0;
  readonly #queue = createCallerQueue();

  constructor(total: number) {
    this.total = total;
    this.quota = new SharedQuota(total);
  }

  /** Acquires a permit. If none is free, or the owner already waits for one, queues `entry` and returns `false`. */
  enter(entry: QueueEntry<Caller>): boolean {
    if (!this.#queue.has(entry.owner) && !this.quota.take(entry.owner, 1)) return true;
    this.#queue.wait(entry);
    return false;
  }

  /** Removes `entry` from the queue if it waits there. Otherwise releases its permit and begins the next entries. */
  leave(entry: QueueEntry<Caller>): void {
    if (this.#queue.leave(entry)) return;
    this.quota.giveBack(entry.owner, 1);
    while (this.#queue.size > 0 && this.#queue.next((owner) => !this.quota.take(owner, 1)));
  }

  /** Waits for a permit, and runs `work` with it. */
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
