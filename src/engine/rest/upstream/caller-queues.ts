/**
 * The queues in front of an upstream's connections, one for each caller. The calls of one caller use at most its share
 * of the connections. Its other calls wait in its queue, first come, first served. So calls that hang, or calls that
 * are too many, hold up no other caller. A call that has its turn waits in the pool, among the calls of all callers,
 * for a free connection.
 */
import { TransientMap } from "../shares/transient-map.ts";

/** The connections that calls wait for, a caller's share or the whole pool, and the calls that they have completed. */
type Progress = { readonly connections: number; completed: number };

export class CallerQueues {
  readonly #pool: Progress;
  readonly #share: number;
  readonly #queues = new TransientMap<CallerQueue>();

  /** One caller uses at most `share` of the connections. */
  constructor(connections: number, share: number) {
    this.#pool = { connections, completed: 0 };
    this.#share = share;
  }

  /** A caller's queue. It is forgotten when its last call is released. */
  of(caller: string): CallerQueue {
    const known = this.#queues.get(caller);
    if (known) return known;
    const queue = new CallerQueue(this.#pool, this.#share, () => this.#queues.delete(caller));
    this.#queues.set(caller, queue);
    return queue;
  }
}

export class CallerQueue {
  readonly #pool: Progress;
  readonly #own: Progress;
  readonly #forget: () => void;
  readonly #waiting = new Set<QueueEntry>();
  #underWay = 0;

  constructor(pool: Progress, share: number, forget: () => void) {
    this.#pool = pool;
    this.#own = { connections: share, completed: 0 };
    this.#forget = forget;
  }

  /** Enters a call. Each entry is released once. */
  acquire(): QueueEntry {
    if (this.#underWay < this.#own.connections) {
      this.#underWay++;
      return new QueueEntry(this.#pool);
    }
    const entry = new QueueEntry(this.#pool, this.#own);
    this.#waiting.add(entry);
    return entry;
  }

  /** Ends a call. `isCompleted` tells whether it has a response. Its turn passes to the call that waits longest. */
  release(entry: QueueEntry, isCompleted: boolean): void {
    if (isCompleted) {
      this.#own.completed++;
      this.#pool.completed++;
    }
    if (this.#waiting.delete(entry)) return;
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next.begin();
    } else if (--this.#underWay === 0) this.#forget();
  }
}

/** The place of one call: in its caller's queue until its turn comes, then in the pool. */
export class QueueEntry {
  /** Resolves when the call's turn comes. `undefined`: the call has its turn at once. */
  readonly turn: Promise<void> | undefined;
  readonly #pool: Progress;
  #progress: Progress;
  #completedBefore: number;
  #resolve: (() => void) | undefined;

  /** Without `queue`, the call has its turn at once. */
  constructor(pool: Progress, queue?: Progress) {
    this.#pool = pool;
    this.#progress = queue ?? pool;
    this.#completedBefore = this.#progress.completed;
    if (queue) this.turn = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Whether the call still waits for its turn. */
  get isWaiting(): boolean {
    return this.#progress !== this.#pool;
  }

  /**
   * Whether the queue or the pool has progressed: it completed as many calls since the last check as it has
   * connections. A turn counts as progress.
   */
  hasProgressed(): boolean {
    const { completed, connections } = this.#progress;
    const count = completed - this.#completedBefore;
    this.#completedBefore = completed;
    return count >= connections;
  }

  /** Gives the call its turn. Only its queue calls this. */
  begin(): void {
    this.#progress = this.#pool;
    this.#completedBefore = this.#pool.completed - this.#pool.connections;
    this.#resolve?.();
  }
}
