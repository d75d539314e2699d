/**
 * Turns at an upstream's connections. One caller has at most half of them in use; its further calls wait in a line of
 * its own, first come, first served, so that calls that hang, or are too many, hold up nobody else's.
 */

/** What calls wait in. It moves when there have been as many answers since we looked as there are connections. */
export type Queue = { readonly connections: number; answers: number };

/** A call that is told when its turn has come. */
type Waiting = { turn(): void };

export class Turns {
  readonly #pool: Queue;
  readonly #lines = new Map<string, Line>();

  constructor(connections: number) {
    this.#pool = { connections, answers: 0 };
  }

  /** A caller's line; forgotten when its last call leaves it. */
  line(caller: string): Line {
    const known = this.#lines.get(caller);
    if (known) return known;
    const line = new Line(this.#pool, () => this.#lines.delete(caller));
    this.#lines.set(caller, line);
    return line;
  }
}

export class Line implements Queue {
  /** What waits behind the lines: all callers' calls that had their turn. */
  readonly pool: Queue;
  readonly connections: number;
  answers = 0;
  readonly #forget: () => void;
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;

  constructor(pool: Queue, forget: () => void) {
    this.pool = pool;
    this.connections = pool.connections / 2;
    this.#forget = forget;
  }

  /** Whether it is this call's turn now; if not it waits, and is told. Each call that enters leaves, once. */
  enter(call: Waiting): boolean {
    if (this.#underWay === this.connections) {
      this.#waiting.add(call);
      return false;
    }
    this.#underWay++;
    return true;
  }

  answered(): void {
    this.answers++;
    this.pool.answers++;
  }

  /** A call is over: its turn, if it had one, is the next one's. */
  leave(call: Waiting): void {
    if (this.#waiting.delete(call)) return;
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next.turn();
    } else if (--this.#underWay === 0) this.#forget();
  }
}
