/**
 * Accounts: there is one for each tenant, each owner of a credential and each address that sends requests. An account records the
 * amounts that its requests use of each quota, and its debt of processor time. It exists only while its requests are in flight or
 * while it is in debt, so the cost of a request does not grow with the number of accounts ever seen.
 *
 * The caller of a request has one account or several: a request with credentials for two products is charged to the owners of
 * both, and is admitted only if both have capacity left. Otherwise an owner would become a new caller with each combination of
 * credentials.
 */
import { TransientMap } from "./transient-map.ts";

/** A caller waits in the queue of its first account. Where callers are counted, those with the same first account count as one. */
type Accounts = readonly [Account, ...Account[]];

export class Account {
  readonly name: string;
  readonly accounts: Accounts = [this];
  readonly #held = new Map<object, number>();
  /** The amounts in `#held` that are used by callers whose first account is another one. */
  #heldAsOther: Map<object, number> | undefined;
  /** Requests and REST calls in flight. */
  #uses = 0;
  /** Number of the account's REST calls that got a response. */
  completed = 0;
  seenAt = 0;
  /** When the account has worked off its debt of processor time, on the monotonic clock. */
  debtClearedAt = 0;

  readonly #onLeave: (account: Account) => void;

  /** `onLeave` is called whenever the account's last request or call in flight has ended. */
  constructor(name: string, onLeave: (account: Account) => void) {
    this.name = name;
    this.#onLeave = onLeave;
  }

  /** Returns the amount of `quota` that the account uses. */
  held(quota: object): number {
    return this.#held.get(quota) ?? 0;
  }

  /** Like `held`, without the amounts of callers whose first account is another one. */
  heldAsFirst(quota: object): number {
    return this.held(quota) - (this.#heldAsOther?.get(quota) ?? 0);
  }

  hold(quota: object, amount: number): void {
    this.#held.set(quota, this.held(quota) + amount);
  }

  /** Like `hold`, for a caller whose first account is another account. */
  holdAsOther(quota: object, amount: number): void {
    this.hold(quota, amount);
    this.#heldAsOther ??= new Map();
    this.#heldAsOther.set(quota, (this.#heldAsOther.get(quota) ?? 0) + amount);
  }

  /** Counts a request or REST call as in flight; each `enter` needs one `leave`. */
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

  /**
   * Each account must have been entered once. When the caller's last request ends, `leave` is called on each account, and then
   * `onLeave`.
   */
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

/**
 * Maximum number of accounts in debt that are remembered while they have no requests in flight. An account gets into debt only by
 * using some milliseconds of processor time.
 */
const mostDebtors = 10_000;

/** Names of accounts cannot contain this character, because header values cannot. */
const separator = "\0";

export class PresentCallers {
  readonly #present = new TransientMap<Account>();
  readonly #joint = new TransientMap<JointCaller>();
  /** Accounts that owed processor time when their last request ended, in the order in which these requests ended. */
  readonly #owing = new Set<Account>();

  /**
   * Counts a request of the caller with these accounts as in flight, and returns the caller. The request ends with the caller's
   * `leave`.
   */
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

  /**
   * Forgets accounts that no longer owe processor time, the oldest first. If more than `mostDebtors` accounts owe some, also
   * forgets the oldest of these.
   */
  #forget(): void {
    for (const account of this.#owing) {
      if (account.debtClearedAt > performance.now() && this.#owing.size <= mostDebtors) return;
      this.#owing.delete(account);
      if (!account.isPresent) this.#present.delete(account.name);
    }
  }
}
