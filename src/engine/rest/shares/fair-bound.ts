/**
 * A bound that callers share. Up to the bound, everybody gets what they ask for. Beyond it, only a caller that has less
 * than an equal part gets more. So one caller cannot use up what all share, and all together use at most twice the bound.
 */
import { TransientMap } from "./transient-map.ts";

export class FairBound {
  readonly #byCaller = new TransientMap<number>();
  #total = 0;

  /** Takes `amount` of `bound`, or returns `false`. */
  take(caller: string, amount: number, bound: number): boolean {
    if (!this.hasRoom(caller, amount, bound)) return false;
    this.#total += amount;
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + amount);
    return true;
  }

  hasRoom(caller: string, amount: number, bound: number): boolean {
    if (this.#total + amount <= bound) return true;
    const own = this.#byCaller.get(caller);
    const callers = this.#byCaller.size + (own === undefined ? 1 : 0);
    return (own ?? 0) + amount <= bound / callers;
  }

  /** Whether the caller has taken anything. */
  has(caller: string): boolean {
    return this.#byCaller.has(caller);
  }

  giveBack(caller: string, amount: number): void {
    this.#total -= amount;
    const left = (this.#byCaller.get(caller) ?? 0) - amount;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
  }
}
