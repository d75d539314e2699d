/**
 * An account is the unit of fairness. Each tenant, each owner of a credential and each client address has an account. An account
 * records how much of each quota its requests use and how much processor time it owes. An account exists only while it has
 * requests in flight or owes processor time, so that memory does not grow with the number of accounts ever seen.
 *
 * A request with credentials for two products has two accounts, one for each owner. Both accounts are charged, and the request is
 * admitted only if both have capacity left. Otherwise, combining credentials would make an owner a new caller.
 */
import { TransientMap } from "./transient-map.ts";

/** A caller waits in the queue of its first account. Callers with the same first account count as one. */
type Accounts = readonly [Account, ...Account[]];

export class Account {
  readonly name: string;
  readonly accounts: Accounts = [this];
  readonly #held = new Map<object, number>();
  /** The part of `#held` that is held by joint callers with a different first account. */
  #heldAsOther: Map<object, number> | undefined;
  /** Requests and REST calls in flight. */
  #uses = 0;
  /** Number of the account's REST calls that got a response. */
  completed = 0;
  seenAt = 0;
  /** The time, on the monotonic clock, from which the account owes no processor time. */
  debtClearedAt = 0;

  readonly #onLeave: (account: Account) => void;

  /** `onLeave` is called each time the account's last request or call in flight ends. */
  constructor(name: string, onLeave: (account: Account) => void) {
    this.name = name;
    this.#onLeave = onLeave;
  }

  held(quota: object): number {
    return this.#held.get(quota) ?? 0;
  }

  /** Like `held`, but only for callers whose first account is this one. */
  heldAsFirst(quota: object): number {
    return this.held(quota) - (this.#heldAsOther?.get(quota) ?? 0);
  }

  hold(quota: object, amount: number): void {
    this.#held.set(quota, this.held(quota) + amount);
  }

  /** Like `hold`, for a joint caller with a different first account. */
  holdAsOther(quota: object, amount: number): void {
    this.hold(quota, amount);
    this.#heldAsOther ??= new Map();
    this.#heldAsOther.set(quota, (this.#heldAsOther.get(quota) ?? 0) + amount);
  }

  /** Counts a request or REST call as in flight, until `leave` is called. */
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

  /** `enter` has already been called on `accounts`. When the last request ends, `leave` is called on each, and then `onLeave`. */
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

/** Maximum number of accounts kept only because they owe processor time. */
const mostDebtors = 10_000;

/** Cannot occur in the name of an account, because header values cannot contain it. */
const separator = "\0";

export class PresentCallers {
  readonly #present = new TransientMap<Account>();
  readonly #joint = new TransientMap<JointCaller>();
  /** Accounts that owed processor time when their last request ended, ordered by the end of that request. */
  readonly #owing = new Set<Account>();

  /** Returns the caller with the named accounts, and counts one of its requests as in flight, until `leave` is called. */
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

  /** Drops accounts from `#owing`, oldest first. Stops at one that owes time, if at most `mostDebtors` are left. */
  #forget(): void {
    for (const account of this.#owing) {
      if (account.debtClearedAt > performance.now() && this.#owing.size <= mostDebtors) return;
      this.#owing.delete(account);
      if (!account.isPresent) this.#present.delete(account.name);
    }
  }
}
