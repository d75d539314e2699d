/**
 * Deadlines in the time that the process has run. A process may be paused: a frozen container, a laptop that sleeps, a
 * long turn of the event loop. When it goes on, Node runs timers before it reads sockets, so an answer that came during the
 * pause would be called late. So a deadline takes looks at the time, a pause counts as two of them at most, and the
 * sockets are read once more before the deadline expires.
 */
const lookMs = 250;
const mostMs = 2 * lookMs;

export class Deadline {
  readonly #onExpiry: () => void;
  #leftMs = 0;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  /** Calls `onExpiry` after `ms`, unless `clear` or `restart` is called before. */
  constructor(ms: number, onExpiry: () => void) {
    this.#onExpiry = onExpiry;
    this.#wait(ms);
  }

  /** Zero or less when the time is over. */
  get leftMs(): number {
    return this.#leftMs - Math.min(performance.now() - this.#lookedAt, mostMs);
  }

  #wait(ms: number): void {
    this.#leftMs = ms;
    this.#lookedAt = performance.now();
    const waitMs = Math.max(Math.min(ms, lookMs), 0);
    this.#timer = setTimeout(() => this.#look(waitMs), waitMs);
  }

  #look(waitedMs: number): void {
    const leftMs = Math.min(this.leftMs, this.#leftMs - waitedMs);
    if (leftMs >= 1) this.#wait(leftMs);
    else this.#turn = setImmediate(this.#onExpiry);
  }

  restart(ms: number): void {
    this.clear();
    this.#wait(ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }
}
