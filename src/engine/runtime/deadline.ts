/**
 * Deadlines on a clock that excludes pauses of the process: a frozen container, a sleeping laptop, a long tick of the event loop.
 * After a pause, Node runs timers before it reads sockets, so a response that arrived during the pause would time out. Therefore
 * the clock is sampled every `sampleMs`, a pause counts as at most two samples, and sockets are read once more before a deadline
 * expires.
 */
const sampleMs = 250;
const maxStepMs = 2 * sampleMs;

let ranMs = 0;
let sampledAt = performance.now();

/** Returns how many milliseconds the process has run, excluding pauses. Each call samples the clock. */
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

  /** `maxLeftMs` is an upper bound of the remaining time, even if the clock returns more. */
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
