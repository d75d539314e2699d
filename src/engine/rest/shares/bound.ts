/**
 * A bound on what all callers hold together. Its total is a hard ceiling, for any number of callers in any order. An eighth
 * of it is for callers that hold nothing, so whatever the others hold, the next caller is served. Of the rest a caller gets
 * more as long as it then holds at most three times what is left (dynamic thresholds: Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking, 1998). So a caller that is alone has two thirds of the total, two have three eighths each, and
 * the more callers there are, the less one of them gets: what it has beyond that it does not get again.
 */
import type { Caller } from "./caller.ts";

const timesWhatIsLeft = 3;
const partForNewcomers = 8;

/** Why there is no room: the `caller` itself holds much, or `all` callers together do. */
export type Refusal = "caller" | "all";

export class Bound {
  /** What all callers may hold. */
  readonly total: number;
  #held = 0;

  constructor(total: number) {
    this.total = total;
  }

  /** What all callers hold. */
  get held(): number {
    return this.#held;
  }

  /** Takes `amount`, or tells why not and takes nothing. The total may be lower for a while. */
  take(caller: Caller, amount: number, total = this.total): Refusal | undefined {
    const refusal = this.refusal(caller, amount, total);
    if (!refusal) this.add(caller, amount);
    return refusal;
  }

  /** What `take` would return. */
  refusal(caller: Caller, amount: number, total = this.total): Refusal | undefined {
    const own = caller.held.get(this) ?? 0;
    const reserve = Math.floor(total / partForNewcomers);
    const left = total - this.#held - amount;
    if (own === 0 ? left >= 0 : own + amount <= timesWhatIsLeft * (left - reserve)) return undefined;
    return own > reserve ? "caller" : "all";
  }

  /** Takes what cannot be refused, also beyond the total. */
  add(caller: Caller, amount: number): void {
    caller.held.set(this, (caller.held.get(this) ?? 0) + amount);
    this.#held += amount;
  }

  giveBack(caller: Caller, amount: number): void {
    this.add(caller, -amount);
  }
}
