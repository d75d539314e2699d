/**
 * Divides the processor fairly between callers. Each caller has a leaky bucket of debt (the generic cell rate algorithm, ITU-T
 * I.371), like the points of GitHub's and Shopify's APIs. Measured work fills the bucket, which drains by one millisecond per
 * millisecond. A request that works for `ms` in one tick of the event loop costs `ms + ms³ / 30`, because long ticks determine
 * the 95th percentile of other callers' latency.
 *
 * A caller that owes more than `freeMs` waits before its next request, before work on a large REST response, and before each
 * piece of a GraphQL response. The caller waits until it owes nothing, because a few long waits cost less work than many short
 * ones. Ordinary requests owe less than `freeMs` and never wait.
 *
 * While n callers owe more than `freeMs`, their costs are multiplied by n, so that together they get one caller's
 * share. A tenant therefore gains nothing by using ten keys, even if the process does not know that they belong to one tenant.
 *
 * One unit of work causes a wait of at most `mostMs` times the number of callers in debt; 40 ms of work already reach this
 * maximum. Longer waits would not improve other callers' 95th percentile: work of 140 ms that occurs at most once in 2 s delays
 * fewer than a twentieth of their requests by more than 40 ms.
 *
 * A caller's requests proceed in the order of their arrival, so that few of them use memory at the same time. While no other
 * caller sends requests, a caller pays nothing and never waits.
 */
import { type CodedError, refusedByLimit } from "../coded-error.ts";
import { Deadline } from "../deadline.ts";
import { type Account, type Caller, PresentCallers } from "./caller.ts";
import { createCallerQueue } from "./fair-queue.ts";

/** A caller proceeds without waiting if it owes at most this many milliseconds. */
const freeMs = 10;
/** Maximum debt of a caller in milliseconds, before multiplication by the number of callers in debt. */
const mostMs = 1_990;
/** After waiting this many milliseconds, a request is refused if its caller is in debt. */
const mostWaitMs = 2_000;
/** A caller is alone if no other caller has sent a request for this many milliseconds. */
const aloneAfterMs = 60_000;

/** Returns the milliseconds that a caller owes for `ms` of work in one tick. */
const costOf = (ms: number): number => ms + ms ** 3 / 30;

export type Pausable = { pause(): void; resume(): void };
type Leave = (failure: CodedError) => void;

type Waiter = {
  /** Arrival time of the request. A caller's earlier requests proceed first. */
  readonly since: number;
  /** The request's place among the executing requests. While the request waits, another request uses this place. */
  readonly place?: Pausable | undefined;
  onLeave(leave: Leave): void;
  ended(leave: Leave): void;
};

/** The latest event-loop tick in which a request used the processor, and the time that it used. */
export class TickWork {
  tick = -1;
  ms = 0;
}

export class FairShare {
  readonly #callers = new PresentCallers();
  readonly #waiting = createCallerQueue();
  /** Accounts that owed more than `freeMs` when they were last charged. */
  readonly #debtors = new Set<Account>();
  /** The caller of the latest request, identified by its first account. */
  #last: Account | undefined;
  /** When a caller other than `#last` last sent a request. */
  #otherSeenAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  /** Number of event-loop ticks so far in which work was charged. */
  #tick = 0;
  #isTickCounted = false;
  #timer: NodeJS.Timeout | undefined;

  /** Like `PresentCallers.enter`, but also records when the caller sent the request. */
  enter(name: string): Account;
  enter(name: string, others?: readonly string[]): Caller;
  enter(name: string, others?: readonly string[]): Caller {
    const caller = this.#callers.enter(name, others);
    const first = caller.accounts[0];
    if (this.#last && name !== this.#last.name) this.#otherSeenAt = this.#last.seenAt;
    this.#last = first;
    first.seenAt = performance.now();
    return caller;
  }

  /**
   * Resolves when the caller may start or continue a request; returns `undefined` if no wait is needed. Rejects with
   * `SERVICE_UNAVAILABLE` if the caller still owes more than `freeMs` after `mostWaitMs`, and when the client disconnects.
   */
  turnOf(caller: Caller, request: Waiter): Promise<void> | undefined {
    const now = performance.now();
    if (this.#isAlone(caller, now)) return undefined;
    if (mostIndebted(caller).debtClearedAt - now <= freeMs && !this.#waiting.has(caller)) return undefined;
    return this.#wait(caller, request);
  }

  #wait(owner: Caller, request: Waiter): Promise<void> {
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const entry = { owner, order: request.since, begin };
    this.#waiting.wait(entry);
    this.#schedule();
    const leave: Leave = (failure) => {
      if (this.#waiting.leave(entry)) refuse(failure);
    };
    const deadline = new Deadline(mostWaitMs, () => {
      const owedMs = mostIndebted(owner).debtClearedAt - performance.now();
      if (owedMs > freeMs) leave(shareExceeded(owedMs));
      // the caller's other waits are ending now, one per tick
      else deadline.restart(mostWaitMs);
    });
    request.onLeave(leave);
    request.place?.pause();
    return promise.finally(() => {
      request.place?.resume();
      deadline.clear();
      request.ended(leave);
    });
  }

  /**
   * Charges `ms` of work that has just ended. `tickWork` contains the work that the same request has already done in this tick.
   */
  charge(caller: Caller, ms: number, tickWork = new TickWork()): void {
    const now = performance.now();
    if (!this.#isAlone(caller, now)) this.#charge(caller, now, this.#costOfMore(ms, tickWork));
  }

  /** Charges work on another thread. It costs only its duration, because it does not lengthen a tick. */
  chargeOtherThread(caller: Caller, ms: number): void {
    const now = performance.now();
    if (!this.#isAlone(caller, now)) this.#charge(caller, now, ms);
  }

  /** Charges the full cost to each account of the caller. A caller with several accounts counts as one debtor. */
  #charge(caller: Caller, now: number, cost: number): void {
    const owing = mostIndebted(caller);
    const isDebtor = Math.max(owing.debtClearedAt, now) + cost - now > freeMs;
    const debtors = isDebtor ? this.#debtorsWith(owing, now) : 1;
    for (const account of caller.accounts)
      account.debtClearedAt = Math.min(
        Math.max(account.debtClearedAt, now) + cost * debtors,
        now + mostMs * debtors,
      );
  }

  /**
   * Returns the additional cost of `ms` after the request's earlier work in this tick. Several short runs of work in one tick
   * cost as much as one long run, because they delay other callers as much.
   */
  #costOfMore(ms: number, tickWork: TickWork): number {
    if (tickWork.tick !== this.#tick) {
      tickWork.tick = this.#tick;
      tickWork.ms = 0;
    }
    this.#countTick();
    const before = tickWork.ms;
    tickWork.ms += ms;
    return costOf(tickWork.ms) - costOf(before);
  }

  #countTick(): void {
    if (this.#isTickCounted) return;
    this.#isTickCounted = true;
    setImmediate(() => {
      this.#tick++;
      this.#isTickCounted = false;
    });
  }

  /** Adds `account` to the accounts in debt, and returns the number of these accounts. */
  #debtorsWith(account: Account, now: number): number {
    for (const debtor of this.#debtors)
      if (debtor.debtClearedAt - now <= freeMs) this.#debtors.delete(debtor);
    return this.#debtors.add(account).size;
  }

  #isAlone({ accounts }: Caller, now: number): boolean {
    const otherSeenAt = accounts[0] === this.#last ? this.#otherSeenAt : (this.#last?.seenAt ?? 0);
    return now - otherSeenAt > aloneAfterMs;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#beginNext());
  }

  /** Begins the next waiting request whose caller has no debt. These callers are served round robin. */
  #beginNext(): void {
    this.#isScheduled = false;
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#waiting.next((caller) => mostIndebted(caller).debtClearedAt <= now);
    if (this.#waiting.size === 0) return;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const caller of this.#waiting.owners())
      nextMs = Math.min(nextMs, mostIndebted(caller).debtClearedAt - now);
    if (nextMs > 0) this.#timer = setTimeout(() => this.#schedule(), nextMs);
    else this.#schedule();
  }
}

/** Returns the account with the largest debt. The caller proceeds when it owes nothing. */
function mostIndebted({ accounts }: Caller): Account {
  let most = accounts[0];
  for (const account of accounts) if (account.debtClearedAt > most.debtClearedAt) most = account;
  return most;
}

const shareExceeded = (owedMs: number): CodedError =>
  refusedByLimit(
    "processor_share",
    "SERVICE_UNAVAILABLE",
    "this caller's requests use more than their share of the processor; try again",
    Math.max(Math.ceil(owedMs / 1_000), 1),
  );
