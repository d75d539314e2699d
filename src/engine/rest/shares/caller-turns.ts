/** Bounds work that holds memory while it waits for other threads. Callers take turns, so one with much work holds up no other. */

export class CallerTurns {
  readonly #most: number;
  #running = 0;
  /** The next caller stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** At most `most` run at the same time. */
  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++;
    else await this.#turn(caller);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Resolves when work that has ended hands its place over. */
  #turn(caller: string): Promise<void> {
    return new Promise((begin) => {
      const own = this.#waiting.get(caller);
      if (own) own.push(begin);
      else this.#waiting.set(caller, [begin]);
    });
  }

  #next(): void {
    const [next] = this.#waiting;
    if (!next) return void this.#running--;
    const [caller, [begin, ...others]] = next;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    begin?.();
  }
}
