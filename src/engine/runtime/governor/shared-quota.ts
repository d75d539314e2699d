/**
 * A bound on what all callers hold together. Its total is a hard ceiling, for any number of callers in any order. An eighth
 * of it is for callers that hold nothing, so whatever the others hold, the next caller is served. Of the rest a caller gets
 * more as long as it then holds at most three times what is left (dynamic thresholds: Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking, 1998). So a caller that is alone has two thirds of the total, two have three eighths each, and
 * the more callers there are, the less one of them gets: what it has beyond that it does not get again.
 */
import type { Caller } from "./caller.ts";

/** What a caller may hold, of what is left then. */
export const dynamicThreshold = 3;

const partForNewcomers = 8;

/** Why there is no room: the `caller` itself holds much, or `all` callers together do. */
export type Refusal = "caller" | "all";

export class SharedQuota {
  /** What all callers may hold. */
  readonly total: number;
  #held = 0;
  /** The callers that hold something. Those with the same first account count as one. */
  #holders = 0;

  constructor(total: number) {
    this.total = total;
  }

  /** What all callers hold. */
  get held(): number {
    return this.#held;
  }

  /**
   * Takes `amount`, or takes nothing and returns why. The total may be lower for a while. Then callers that took much before
   * keep no newcomer out: it is refused when as many callers hold something.
   */
  take(caller: Caller, amount: number, total = this.total): Refusal | undefined {
    const refusal = this.refusal(caller, amount, total);
    if (!refusal) this.add(caller, amount);
    return refusal;
  }

  /** What `take` would return. There is room if there is for each account of the caller. */
  refusal(caller: Caller, amount: number, total = this.total): Refusal | undefined {
    const reserve = Math.floor(total / partForNewcomers);
    const heldThen = this.#held + amount;
    let refusal: Refusal | undefined;
    for (const account of caller.accounts) {
      const own = account.held(this);
      const fits =
        own === 0
          ? heldThen <= this.total && this.#holders < total
          : own + amount <= dynamicThreshold * (total - heldThen - reserve);
      if (fits) continue;
      if (own > reserve) return "caller";
      refusal = "all";
    }
    return refusal;
  }

  /** Takes what cannot be refused, also beyond the total. Each account of the caller holds the whole of it. */
  add(caller: Caller, amount: number): void {
    const first = caller.accounts[0];
    const before = first.heldAsFirst(this);
    const after = before + amount;
    first.hold(this, amount);
    for (const account of caller.accounts) if (account !== first) account.holdAsOther(this, amount);
    this.#held += amount;
    this.#holders += Number(after > 0) - Number(before > 0);
  }

  giveBack(caller: Caller, amount: number): void {
    this.add(caller, -amount);
  }
}
