/**
 * Whose turn is next. The owners of what waits take turns, so one with much holds up no other. Of one owner's, the lowest
 * `order` comes first, and among equals the one that has waited longest.
 */
export type Turn<Owner> = { readonly owner: Owner; readonly order?: number; begin(): void };

export class Turns<Owner, Waiting extends Turn<Owner> = Turn<Owner>> {
  #size = 0;
  /** The next owner stands first. */
  readonly #byOwner = new Map<Owner, Waiting[]>();

  get size(): number {
    return this.#size;
  }

  has(owner: Owner): boolean {
    return this.#byOwner.has(owner);
  }

  owners(): Iterable<Owner> {
    return this.#byOwner.keys();
  }

  wait(turn: Waiting): void {
    this.#size++;
    const own = this.#byOwner.get(turn.owner);
    if (!own) return void this.#byOwner.set(turn.owner, [turn]);
    const { order = 0 } = turn;
    const before = own.findLastIndex((other) => (other.order ?? 0) <= order);
    own.splice(before + 1, 0, turn);
  }

  /** Ends a wait without a turn. Returns `false` if it has ended before. */
  leave(turn: Waiting): boolean {
    const own = this.#byOwner.get(turn.owner);
    const at = own?.indexOf(turn) ?? -1;
    if (!own || at < 0) return false;
    own.splice(at, 1);
    this.#size--;
    if (own.length === 0) this.#byOwner.delete(turn.owner);
    return true;
  }

  /** Begins the turn of the first owner that may have one. The owner goes behind the others. Returns `false` if none may. */
  next(may: (owner: Owner) => boolean = () => true): boolean {
    for (const [owner, own] of this.#byOwner) {
      const [turn] = own;
      if (!turn || !may(owner)) continue;
      this.leave(turn);
      if (this.#byOwner.delete(owner)) this.#byOwner.set(owner, own);
      turn.begin();
      return true;
    }
    return false;
  }

  /** The last turn of the owner that has most; among equals it is `newcomer`'s. */
  lastOfMost(newcomer: Owner): Waiting | undefined {
    let most = this.#byOwner.get(newcomer) ?? [];
    for (const own of this.#byOwner.values()) if (own.length > most.length) most = own;
    return most.at(-1);
  }
}
