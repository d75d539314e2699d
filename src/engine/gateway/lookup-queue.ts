/**
 * The queue in front of key introspection. A limited number of lookups run concurrently. All other lookups wait in one of three
 * ranks: keys that were valid before, keys with a valid checksum, and all other keys. Within a rank, addresses are served round
 * robin. A full rank rejects the newest lookup of the address with the most waiting lookups, so that a flood of unknown keys
 * cannot block valid keys.
 *
 * Lookups wait as long as running lookups succeed, so that hundreds of new keys after a start are all served. If no lookup
 * succeeds for as long as one lookup may take (`timeoutMs`), all waiting lookups are rejected.
 */

import { type CodedError, refusedByLimit } from "../runtime/coded-error.ts";
import { Deadline, processRunTime } from "../runtime/deadline.ts";
import { FairQueue, type QueueEntry } from "../runtime/governor/fair-queue.ts";
import { keyLookups } from "../runtime/settings/capacity.ts";

/**
 * Ranks are served in this order. Every fourth free slot goes to the third rank before the second, so that the second rank cannot
 * starve the third.
 */
export const priorities = { known: 0, plausible: 1, other: 2 } as const;
type Rank = (typeof priorities)[keyof typeof priorities];

const slotOfOthers = 4;

type Job = QueueEntry<string> & { refuse(): void };

export class LookupQueue {
  #running = 0;
  #slot = 0;
  #succeededAt = 0;
  readonly #timeoutMs: number;
  readonly #concurrency: number;
  readonly #waiting = [
    new FairQueue<string, Job>(),
    new FairQueue<string, Job>(),
    new FairQueue<string, Job>(),
  ] as const;

  /** `timeoutMs` limits each lookup after it has left the queue. `concurrency` limits how many run at once. */
  constructor(timeoutMs: number, concurrency: number) {
    this.#timeoutMs = timeoutMs;
    this.#concurrency = concurrency;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Runs `work` as soon as a slot is free. Throws SERVICE_UNAVAILABLE if the lookup waits too long, or if its rank is full and it
   * is the newest lookup of the address with the most waiting lookups.
   */
  async run<T>(rank: Rank, owner: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) await this.#wait(this.#waiting[rank], owner);
    else this.#running++;
    const timeout = new AbortController();
    const deadline = new Deadline(this.#timeoutMs, () => timeout.abort(tookTooLong()));
    try {
      const result = await work(timeout.signal);
      this.#succeededAt = processRunTime();
      return result;
    } finally {
      deadline.clear();
      this.#startNext();
    }
  }

  /** Resolves when a running lookup ends and passes its slot to this one. */
  #wait(rank: FairQueue<string, Job>, owner: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (): void => {
      if (rank.leave(job)) reject(tooMany());
    };
    const job: Job = { owner, begin: resolve, refuse };
    const since = processRunTime();
    const deadline = new Deadline(Math.min(this.#timeoutMs, keyLookups.waitMs), () => {
      const lastOf = Math.max(this.#succeededAt, since) + this.#timeoutMs;
      const leftMs = Math.min(lastOf, since + keyLookups.waitMs) - processRunTime();
      if (leftMs > 0) deadline.restart(leftMs);
      else refuse();
    });
    rank.wait(job);
    if (rank.size > this.#concurrency * keyLookups.waitingForEach) rank.lastOfMost(owner)?.refuse();
    return promise.finally(() => deadline.clear());
  }

  #startNext(): void {
    const [known, plausible, other] = this.#waiting;
    const isSlotOfOthers = ++this.#slot % slotOfOthers === 0;
    const order = isSlotOfOthers ? [known, other, plausible] : [known, plausible, other];
    if (!order.some((rank) => rank.next())) this.#running--;
  }
}

const tookTooLong = (): DOMException => new DOMException("the lookup timed out", "TimeoutError");

const tooMany = (): CodedError =>
  refusedByLimit("key_lookups", "SERVICE_UNAVAILABLE", "too many API keys to verify at once");
