/**
 * Turns at an upstream's connections. One caller has a share of them in use at most; its further calls wait in a line of
 * its own, first come, first served, so that calls that hang, or are too many, hold up nobody else's.
 */

/** What calls wait in. It moves when there have been as many answers since we looked as there are connections. */
export type Queue = { readonly connections: number; answers: number };

/** A call that is told when its turn has come; whether it waits for that is for its line to say. */
export type Waiting = { waits: boolean; turn(): void };

export class Turns {
  readonly #pool: Queue;
  readonly #share: number;
  readonly #lines = new Map<string, Line>();

  /** One caller has at most `share` of the connections. */
  constructor(connections: number, share: number) {
    this.#pool = { connections, answers: 0 };
    this.#share = share;
  }

  /** A caller's line; forgotten when its last call leaves it. */
  line(caller: string): Line {
    const known = this.#lines.get(caller);
    if (known) return known;
    const line = new Line(this.#pool, this.#share, () => this.#lines.delete(caller));
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
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(pool: Queue, share: number, forget: () => void) {
    this.pool = pool;
    this.connections = share;
    this.#forget = forget;
  }

  /** Whether it is this call's turn now; if not it waits, and is told. Each call that enters leaves, once. */
  enter(call: Waiting): boolean {
    if (this.#underWay === this.connections) {
      call.waits = true;
      this.#waiting.push(call);
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
    if (call.waits) return void this.#waiting.splice(this.#waiting.indexOf(call), 1);
    const next = this.#waiting.shift();
    if (next) {
      next.waits = false;
      next.turn();
    } else if (--this.#underWay === 0) this.#forget();
  }
}
