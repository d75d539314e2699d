/**
 * A quota that callers share fairly. An eighth of the quota is reserved for callers that hold nothing, so that a new caller is
 * served however much the others hold. Any other caller may take more only if its new total is at most three
 * times the amount that remains free outside the reserve (dynamic thresholds: Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking, 1998). For example, a single caller gets 66 % of the total, and two callers get three eighths
 * each. A new caller makes the shares smaller, but the others need not return anything early.
 */
import type { Caller } from "./caller.ts";

/** A caller may hold this many times the amount that remains free. */
export const dynamicThreshold = 3;

/** The total divided by this number is the reserve for callers that hold nothing. */
export const partForNewcomers = 8;

/** Why an amount was refused: `caller` if the requesting caller holds too much, `all` if all callers together hold too much. */
export type Refusal = "caller" | "all";

export class SharedQuota {
  /** The maximum that all callers together may hold. */
  readonly total: number;
  #used = 0;
  /** Number of callers that hold something. Callers with the same first account count as one. */
  #holders = 0;

  constructor(total: number) {
    this.total = total;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Takes `amount` and returns `undefined`, or takes nothing and returns the reason. A lower `total` can be passed during
   * overload. Callers that hold nothing may exceed the lower total, until `total` callers hold something.
   */
  take(caller: Caller, amount: number, total = this.total): Refusal | undefined {
    const refusal = this.refusal(caller, amount, total);
    if (!refusal) this.add(caller, amount);
    return refusal;
  }

  /** Returns what `take` would return. Each account of the caller must have room for the full amount. */
  refusal(caller: Caller, amount: number, total = this.total): Refusal | undefined {
    const reserve = Math.floor(total / partForNewcomers);
    const usedThen = this.#used + amount;
    let refusal: Refusal | undefined;
    for (const account of caller.accounts) {
      const own = account.held(this);
      const fits =
        own === 0
          ? usedThen <= this.total && this.#holders < total
          : own + amount <= dynamicThreshold * (total - usedThen - reserve);
      if (fits) continue;
      if (own > reserve) return "caller";
      refusal = "all";
    }
    return refusal;
  }

  /** Takes an amount without checking the total. Each account of the caller is charged the full amount. */
  add(caller: Caller, amount: number): void {
    const first = caller.accounts[0];
    const before = first.heldAsFirst(this);
    const after = before + amount;
    first.hold(this, amount);
    for (const account of caller.accounts) if (account !== first) account.holdAsOther(this, amount);
    this.#used += amount;
    this.#holders += Number(after > 0) - Number(before > 0);
  }

  giveBack(caller: Caller, amount: number): void {
    this.add(caller, -amount);
  }
}
