/**
 * Whom a request is charged to. An account is what one tenant, one holder of a credential or one address holds and owes. It
 * is one object while requests of it are under way, and while it owes processor time. So the cost of a request does not grow
 * with the number of accounts that were ever seen.
 *
 * The caller of a request is one account, or several: a request with credentials for two products is charged to the holder
 * of each, and is admitted when both may. Otherwise one holder would be a new caller with each combination of credentials.
 */
import { TransientMap } from "./transient-map.ts";

/** The first account leads: the caller waits in its queue, and counts as it where callers are counted. */
type Accounts = readonly [Account, ...Account[]];

export class Account {
  readonly name: string;
  readonly accounts: Accounts = [this];
  readonly #held = new Map<object, number>();
  /** The part of it that is held by callers which another account leads. */
  #heldAsOther: Map<object, number> | undefined;
  /** Requests and calls that are under way. */
  #uses = 0;
  /** REST calls of it that got a response. */
  completed = 0;
  seenAt = 0;
  /** When it owes no processor time any more. */
  debtClearedAt = 0;

  readonly #onLeave: (account: Account) => void;

  /** `onLeave` is called whenever nothing of it is under way any more. */
  constructor(name: string, onLeave: (account: Account) => void) {
    this.name = name;
    this.#onLeave = onLeave;
  }

  /** What it holds of a bound. */
  held(bound: object): number {
    return this.#held.get(bound) ?? 0;
  }

  /** The part of it that is held by callers which this account leads. */
  heldAsFirst(bound: object): number {
    return this.held(bound) - (this.#heldAsOther?.get(bound) ?? 0);
  }

  hold(bound: object, amount: number): void {
    this.#held.set(bound, this.held(bound) + amount);
  }

  /** Holds it for a caller which another account leads. */
  holdAsOther(bound: object, amount: number): void {
    this.hold(bound, amount);
    this.#heldAsOther ??= new Map();
    this.#heldAsOther.set(bound, (this.#heldAsOther.get(bound) ?? 0) + amount);
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

/** The caller of requests that are charged to several accounts. */
export class JointCaller {
  readonly name: string;
  readonly accounts: Accounts;
  #uses = 0;
  readonly #onLeave: (caller: JointCaller) => void;

  /** The accounts have been entered once. `onLeave` is called after they have been left. */
  constructor(name: string, accounts: Accounts, onLeave: (caller: JointCaller) => void) {
    this.name = name;
    this.accounts = accounts;
    this.#onLeave = onLeave;
  }

  enter(): this {
    this.#uses++;
    return this;
  }

  leave(): void {
    if (--this.#uses !== 0) return;
    for (const account of this.accounts) account.leave();
    this.#onLeave(this);
  }
}

export type Caller = Account | JointCaller;

/** Accounts that owe processor time and have nothing under way. Each of them has worked for some ms. */
const mostDebtors = 10_000;

/** No name of an account has this character, because no value of a header has it. */
const separator = "\0";

export class PresentCallers {
  readonly #present = new TransientMap<Account>();
  readonly #joint = new TransientMap<JointCaller>();
  /** Accounts that left in debt, the first one first. */
  readonly #owing = new Set<Account>();

  /** The caller of the accounts of these names. `leave` of the caller ends it. */
  enter(name: string): Account;
  enter(name: string, others?: readonly string[]): Caller;
  enter(name: string, others?: readonly string[]): Caller {
    this.#forget();
    return others?.length ? this.#together([name, ...others]) : this.#account(name);
  }

  #account(name: string): Account {
    let account = this.#present.get(name);
    if (!account) {
      account = new Account(name, this.#left);
      this.#present.set(name, account);
    }
    return account.enter();
  }

  #together(names: readonly [string, ...string[]]): JointCaller {
    const name = names.join(separator);
    let caller = this.#joint.get(name);
    if (!caller) {
      const [first, ...others] = names;
      const accounts: Accounts = [this.#account(first), ...others.map((other) => this.#account(other))];
      caller = new JointCaller(name, accounts, () => this.#joint.delete(name));
      this.#joint.set(name, caller);
    }
    return caller.enter();
  }

  readonly #left = (account: Account): void => {
    if (account.debtClearedAt > performance.now()) this.#owing.add(account);
    else this.#present.delete(account.name);
  };

  /** Forgets accounts that have paid, the oldest first, and the oldest of too many. */
  #forget(): void {
    for (const account of this.#owing) {
      if (account.debtClearedAt > performance.now() && this.#owing.size <= mostDebtors) return;
      this.#owing.delete(account);
      if (!account.isPresent) this.#present.delete(account.name);
    }
  }
}
