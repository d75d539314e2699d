/**
 * A caller: the owner of a share of the processor, of memory, of connections and of places. It is one object while requests
 * of it are under way, and while it owes processor time. What it holds and owes are its fields, so the cost of a request
 * does not grow with the number of callers that were ever seen.
 */
import { TransientMap } from "./transient-map.ts";

export class Caller {
  readonly name: string;
  /** What it holds of each bound. */
  readonly held = new Map<object, number>();
  /** Requests and calls that are under way. */
  #uses = 0;
  /** REST calls of it that got a response. */
  completed = 0;
  seenAt = 0;
  /** When it owes no processor time any more. */
  paidAt = 0;

  readonly #onLeave: (caller: Caller) => void;

  /** `onLeave` is called whenever nothing of it is under way any more. */
  constructor(name: string, onLeave: (caller: Caller) => void) {
    this.name = name;
    this.#onLeave = onLeave;
  }

  /** Something of it is under way, until `leave` is called once for each call. */
  enter(): this {
    this.#uses++;
    return this;
  }

  leave(): void {
    if (--this.#uses === 0) this.#onLeave(this);
  }

  get isPresent(): boolean {
    return this.#uses > 0;
  }
}

/** Callers that owe processor time and have nothing under way. Each of them has worked for some ms. */
const mostDebtors = 10_000;

export class PresentCallers {
  readonly #present = new TransientMap<Caller>();
  /** Callers that left in debt, the first one first. */
  readonly #owing = new Set<Caller>();

  /** The caller of this name. `leave` of the caller ends it. */
  enter(name: string): Caller {
    this.#forget();
    let caller = this.#present.get(name);
    if (!caller) {
      caller = new Caller(name, this.#left);
      this.#present.set(name, caller);
    }
    return caller.enter();
  }

  readonly #left = (caller: Caller): void => {
    if (caller.paidAt > performance.now()) this.#owing.add(caller);
    else this.#present.delete(caller.name);
  };

  /** Forgets callers that have paid, the oldest first, and the oldest of too many. */
  #forget(): void {
    for (const caller of this.#owing) {
      if (caller.paidAt > performance.now() && this.#owing.size <= mostDebtors) return;
      this.#owing.delete(caller);
      if (!caller.isPresent) this.#present.delete(caller.name);
    }
  }
}
