/**
 * Deadlines in process run time, which excludes pauses: a frozen container, a sleeping laptop, a long tick of the event loop.
 * After a pause, Node runs timers before it reads sockets, so a response that arrived during the pause would time out.
 * Therefore a shared clock samples the time at intervals, counts a pause as at most two intervals, and sockets are read once
 * more before a deadline expires.
 */
const lookMs = 250;
const mostMs = 2 * lookMs;

let ranMs = 0;
let lookedAt = performance.now();

/** Milliseconds for which the process has run. Each call samples the time. */
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

  /** Calls `onExpiry` after `ms` unless `clear` or `restart` is called first. */
  constructor(ms: number, onExpiry: () => void) {
    this.#onExpiry = onExpiry;
    this.restart(ms);
  }

  /** Zero or less once expired. */
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

  /** The timer has elapsed, so at most `mostLeftMs` remain, whatever the clock returns. */
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
