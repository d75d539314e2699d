/**
 * Deadlines in process run time, which excludes pauses: a frozen container, a sleeping laptop, a long tick of the event loop.
 * After a pause, Node runs timers before it reads sockets, so a response that arrived during the pause would time out.
 * Therefore a shared clock samples the time at intervals, counts a pause as at most two intervals, and sockets are read once
 * more before a deadline expires.
 */
const sampleMs = 250;
const maxStepMs = 2 * sampleMs;

let ranMs = 0;
let sampledAt = performance.now();

/** Milliseconds for which the process has run, without pauses. Each call samples the time. */
export function processRunTime(): number {
  const now = performance.now();
  ranMs += Math.min(now - sampledAt, maxStepMs);
  sampledAt = now;
  return ranMs;
}

setInterval(processRunTime, sampleMs).unref();

export class Deadline {
  readonly #onExpiry: () => void;
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** Calls `onExpiry` after `ms` unless `clear` or `restart` is called first. */
  constructor(ms: number, onExpiry: () => void) {
    this.#onExpiry = onExpiry;
    this.restart(ms);
  }

  /** Milliseconds until expiry; zero or less afterwards. */
  get leftMs(): number {
    return this.#endsAt - processRunTime();
  }

  restart(ms: number): void {
    this.clear();
    this.#endsAt = processRunTime() + ms;
    this.#wait(ms);
  }

  #wait(ms: number): void {
    const waitMs = Math.max(Math.min(ms, sampleMs), 0);
    this.#timer = setTimeout(() => this.#check(ms - waitMs), waitMs);
  }

  /** The timer has elapsed, so at most `maxLeftMs` remain, regardless of what the clock returns. */
  #check(maxLeftMs: number): void {
    const leftMs = Math.min(this.leftMs, maxLeftMs);
    if (leftMs >= 1) this.#wait(leftMs);
    else this.#immediate = setImmediate(this.#onExpiry);
  }

  clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }
}
