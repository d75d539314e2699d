/**
 * A queue that serves the owners of its entries round robin, so that an owner with many entries does not delay the others. An
 * owner's entries are served by ascending `order`, and entries with the same `order` by arrival. Owners with the same key share
 * one queue and one turn in the round. In a shared queue, an owner that must wait does not block the other owners.
 */
import type { Caller } from "./caller.ts";

export type QueueEntry<Owner> = { readonly owner: Owner; readonly order?: number; begin(): void };

export class FairQueue<Owner, Waiting extends QueueEntry<Owner> = QueueEntry<Owner>> {
  #size = 0;
  /** Queues by key. The first queue is served next. */
  readonly #queues = new Map<unknown, Waiting[]>();
  readonly #keyOf: (owner: Owner) => unknown;

  /** `keyOf` returns the key of an owner. By default, each owner has its own queue. */
  constructor(keyOf: (owner: Owner) => unknown = (owner) => owner) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#size;
  }

  has(owner: Owner): boolean {
    return this.#queues.get(this.#keyOf(owner))?.some((entry) => entry.owner === owner) ?? false;
  }

  /** The owners of the waiting entries, possibly with duplicates. */
  *owners(): Iterable<Owner> {
    for (const queue of this.#queues.values())
      for (const [at, { owner }] of queue.entries()) if (owner !== queue[at - 1]?.owner) yield owner;
  }

  wait(entry: Waiting): void {
    this.#size++;
    const key = this.#keyOf(entry.owner);
    const queue = this.#queues.get(key);
    if (!queue) return void this.#queues.set(key, [entry]);
    const { order = 0 } = entry;
    const before = queue.findLastIndex((other) => (other.order ?? 0) <= order);
    queue.splice(before + 1, 0, entry);
  }

  /** Returns `false` if the entry is no longer queued. */
  leave(entry: Waiting): boolean {
    const key = this.#keyOf(entry.owner);
    const queue = this.#queues.get(key);
    const at = queue?.indexOf(entry) ?? -1;
    if (!queue || at < 0) return false;
    queue.splice(at, 1);
    this.#size--;
    if (queue.length === 0) this.#queues.delete(key);
    return true;
  }

  /** Begins the first entry whose owner may proceed, and moves its queue to the end. Returns `false` if no owner may proceed. */
  next(mayProceed: (owner: Owner) => boolean = () => true): boolean {
    for (const [key, queue] of this.#queues) {
      const entry = queue.find(({ owner }, at) => owner !== queue[at - 1]?.owner && mayProceed(owner));
      if (!entry) continue;
      this.leave(entry);
      if (this.#queues.delete(key)) this.#queues.set(key, queue);
      entry.begin();
      return true;
    }
    return false;
  }

  /** Returns the last entry of the longest queue. Of equally long queues, the queue of `newcomer` is preferred. */
  lastOfMost(newcomer: Owner): Waiting | undefined {
    let most = this.#queues.get(this.#keyOf(newcomer)) ?? [];
    for (const queue of this.#queues.values()) if (queue.length > most.length) most = queue;
    return most.at(-1);
  }
}

/** Creates a queue in which callers with the same first account share their turns (see `Accounts`). */
export const createCallerQueue = (): FairQueue<Caller> => new FairQueue(({ accounts }) => accounts[0]);
