/**
 * Deadlines in the time that the process has run. A process may be paused: a frozen container, a laptop that sleeps, a
 * long turn of the event loop. When it goes on, Node runs timers before it reads sockets, so an answer that came during the
 * pause would be called late. So one clock for all looks at the time now and then, a pause counts as two of its looks at
 * most, and the sockets are read once more before a deadline expires.
 */
const lookMs = 250;
const mostMs = 2 * lookMs;

let ranMs = 0;
let lookedAt = performance.now();

/** Milliseconds for which the process has run. Each call is a look at the time. */
export function processRunTime(): number {
  const now = performance.now();
  ranMs += Math.min(now - lookedAt, mostMs);
  lookedAt = now;
  return ranMs;
}

setInterval(processRunTime, lookMs).unref();

export class Deadline {
  readonly #onExpiry: () => void;
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  /** Calls `onExpiry` after `ms`, unless `clear` or `restart` is called before. */
  constructor(ms: number, onExpiry: () => void) {
    this.#onExpiry = onExpiry;
    this.restart(ms);
  }

  /** Zero or less when the time is over. */
  get leftMs(): number {
    return this.#endsAt - processRunTime();
  }

  restart(ms: number): void {
    this.clear();
    this.#endsAt = processRunTime() + ms;
    this.#wait(ms);
  }

  #wait(ms: number): void {
    const waitMs = Math.max(Math.min(ms, lookMs), 0);
    this.#timer = setTimeout(() => this.#look(ms - waitMs), waitMs);
  }

  /** The timer has waited too: no more than `mostLeftMs` are left, whatever the clock says. */
  #look(mostLeftMs: number): void {
    const leftMs = Math.min(this.leftMs, mostLeftMs);
    if (leftMs >= 1) this.#wait(leftMs);
    else this.#turn = setImmediate(this.#onExpiry);
  }

  clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }
}
