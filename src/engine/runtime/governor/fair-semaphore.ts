/** A semaphore that callers share fairly. */
import type { Caller } from "./caller.ts";
import { callerTurns, type QueueEntry } from "./fair-queue.ts";
import { SharedQuota } from "./shared-quota.ts";

/** Permits that callers share, and a fair queue of the callers that wait for a permit. */
export class FairSemaphore {
  readonly bound: SharedQuota;
  readonly total: number;
  /** Number of tasks that completed with a permit. The code that uses the semaphore increments it. */
  completed = 0;
  readonly #turns = callerTurns();

  constructor(total: number) {
    this.total = total;
    this.bound = new SharedQuota(total);
  }

  /**
   * Acquires a permit for `turn`. If no permit is free or the owner of `turn` already waits, queues `turn` and returns `false`.
   */
  enter(turn: QueueEntry<Caller>): boolean {
    if (!this.#turns.has(turn.owner) && !this.bound.take(turn.owner, 1)) return true;
    this.#turns.wait(turn);
    return false;
  }

  /** Removes `turn` from the queue. If it has a permit, releases the permit, and the next entries begin. */
  leave(turn: QueueEntry<Caller>): void {
    if (this.#turns.leave(turn)) return;
    this.bound.giveBack(turn.owner, 1);
    while (this.#turns.size > 0 && this.#turns.next((owner) => !this.bound.take(owner, 1)));
  }

  /** Runs `work` with a permit. */
  async run<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    const turn = { owner: caller, begin };
    if (!this.enter(turn)) await promise;
    try {
      return await work();
    } finally {
      this.leave(turn);
    }
  }
}
