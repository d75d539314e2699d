/**
 * The queue in front of key introspection. A bounded number of look-ups runs at once. The others wait in three ranks: keys
 * that were good before, keys with a valid checksum, all other keys. Within a rank the addresses take turns. A full rank
 * refuses the newest look-up of the address that has most. So a flood of unknown keys keeps no good key out.
 *
 * A look-up waits while others succeed, so that hundreds of new keys at a start are all served. When none has succeeded for
 * as long as one look-up may take, all that wait are refused.
 */

import { type CodedError, refusedByLimit } from "../runtime/coded-error.ts";
import { Deadline, processRunTime } from "../runtime/deadline.ts";
import { FairQueue, type QueueEntry } from "../runtime/governor/fair-queue.ts";
import { keyLookups } from "../runtime/settings/capacity.ts";

/** Lower ranks are served first. Every fourth turn is the last rank's, so that the second rank cannot starve it. */
export const priorities = { known: 0, plausible: 1, other: 2 } as const;
type Rank = (typeof priorities)[keyof typeof priorities];

const turnOfOthers = 4;

type Job = QueueEntry<string> & { refuse(): void };

export class LookupQueue {
  #running = 0;
  #turn = 0;
  /** The time of the last look-up that succeeded. */
  #succeededAt = 0;
  readonly #timeoutMs: number;
  readonly #waiting = [
    new FairQueue<string, Job>(),
    new FairQueue<string, Job>(),
    new FairQueue<string, Job>(),
  ] as const;

  /** A look-up takes `timeoutMs` at most, from its turn on. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Look-ups that run. */
  get running(): number {
    return this.#running;
  }

  /** Runs `work` when its turn comes. Throws SERVICE_UNAVAILABLE when the rank is full, or after too long a wait. */
  async run<T>(rank: Rank, owner: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#running >= keyLookups.running) await this.#wait(this.#waiting[rank], owner);
    else this.#running++;
    const timeout = new AbortController();
    const deadline = new Deadline(this.#timeoutMs, () => timeout.abort(tookTooLong()));
    try {
      const result = await work(timeout.signal);
      this.#succeededAt = processRunTime();
      return result;
    } finally {
      deadline.clear();
      this.#goOn();
    }
  }

  /** Resolves when a running look-up ends and hands its place over. */
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
    if (rank.size > keyLookups.waiting) rank.lastOfMost(owner)?.refuse();
    return promise.finally(() => deadline.clear());
  }

  #goOn(): void {
    const [known, plausible, other] = this.#waiting;
    const isTurnOfOthers = ++this.#turn % turnOfOthers === 0;
    const order = isTurnOfOthers ? [known, other, plausible] : [known, plausible, other];
    if (!order.some((rank) => rank.next())) this.#running--;
  }
}

const tookTooLong = (): DOMException => new DOMException("the look-up took too long", "TimeoutError");

const tooMany = (): CodedError =>
  refusedByLimit("key_look_ups", "SERVICE_UNAVAILABLE", "too many API keys to check at once");
