/**
 * Fair shares of the processor between callers: a leaky bucket of debt for each (the generic cell rate algorithm, ITU-T I.371),
 * as GitHub and Shopify have of points. It fills with measured work: work of `ms` of one request in one tick of the event
 * loop costs `ms + ms³ / 30`, because long ticks are what the other callers' 95th percentile shows, and it drains by a
 * millisecond each millisecond. A caller that owes more than `freeMs` waits before its next request, before work on a large
 * response of REST, and before each piece of an answer, until it owes nothing: it goes on seldom and for longer, because
 * each wait costs work too. Ordinary requests owe less, and never wait.
 *
 * Callers that owe more than `freeMs` at the same time share what one of them would get: the price is multiplied by their
 * number. So a tenant gains nothing by sending with ten keys where the process does not know the tenant.
 *
 * The longest wait that a piece of work causes is `mostMs`, times the same number: work of 40 ms costs that much. The other
 * callers' 95th percentile needs no more: work of 140 ms that comes at most once in 2 s delays fewer than a twentieth of
 * their requests by more than 40 ms.
 *
 * Of a caller's requests, the one that came first goes on first: few of them hold memory at the same time.
 *
 * A caller that is alone pays nothing and never waits.
 */
import { type CodedError, refusedByLimit } from "../coded-error.ts";
import { Deadline } from "../deadline.ts";
import { type Account, type Caller, PresentCallers } from "./caller.ts";
import { callerTurns } from "./fair-queue.ts";

/** A caller that owes at most this many ms goes on. One that owes more waits until it owes nothing. */
const freeMs = 10;
/** A caller never owes more ms, times the number of callers in debt. */
const mostMs = 1_990;
/** A request that has waited this many ms is refused. */
const mostWaitMs = 2_000;
/** A caller is alone when no other caller has sent a request for this many ms. */
const aloneAfterMs = 60_000;

/** Milliseconds that a caller owes for work. */
const costOf = (ms: number): number => ms + ms ** 3 / 30;

export type Pausable = { pause(): void; resume(): void };
type Leave = (failure: CodedError) => void;

/** The request that waits to go on. It calls `leave` when its client leaves, unless `ended` is called before. */
type Waiter = {
  /** When the request came. The one that came first goes on first. */
  readonly since: number;
  /** Its place among the requests that are executed. It is free for another one during the wait. */
  readonly place?: Pausable | undefined;
  onLeave(leave: Leave): void;
  ended(leave: Leave): void;
};

/** The work of a request in the tick of the event loop in which it last worked. */
export class TickWork {
  turn = -1;
  ms = 0;
}

export class FairShare {
  readonly #callers = new PresentCallers();
  readonly #waiting = callerTurns();
  /** The accounts that owe more than `freeMs`, and some that did. */
  readonly #debtors = new Set<Account>();
  /** The first account of the last caller. */
  #last: Account | undefined;
  /** When a caller other than the last one was last seen. */
  #otherSeenAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  /** Counts the ticks of the event loop in which something was charged. */
  #turn = 0;
  #isTurnCounted = false;
  #timer: NodeJS.Timeout | undefined;

  /** The caller of a request, by the names of its accounts. `leave` ends it. */
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
   * Resolves when the caller may start a request, or go on with one. `undefined`: at once. Rejects with
   * `SERVICE_UNAVAILABLE` after too long a wait, and as soon as the client leaves.
   */
  turnOf(caller: Caller, request: Waiter): Promise<void> | undefined {
    const now = performance.now();
    if (this.#isAlone(caller, now)) return undefined;
    if (mostIndebted(caller).debtClearedAt - now <= freeMs && !this.#waiting.has(caller)) return undefined;
    return this.#wait(caller, request);
  }

  #wait(owner: Caller, request: Waiter): Promise<void> {
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const turn = { owner, order: request.since, begin };
    this.#waiting.wait(turn);
    this.#schedule();
    const leave: Leave = (failure) => {
      if (this.#waiting.leave(turn)) refuse(failure);
    };
    const deadline = new Deadline(mostWaitMs, () =>
      leave(tooMuch(mostIndebted(owner).debtClearedAt - performance.now())),
    );
    request.onLeave(leave);
    request.place?.pause();
    return promise.finally(() => {
      request.place?.resume();
      deadline.clear();
      request.ended(leave);
    });
  }

  /** Charges `ms` of work that has just ended. `stretch` is that of its request, if it is a request's. */
  worked(caller: Caller, ms: number, stretch = new TickWork()): void {
    const now = performance.now();
    if (!this.#isAlone(caller, now)) this.#charge(caller, now, this.#costOfMore(ms, stretch));
  }

  /** Charges work of other threads. It makes no tick longer, so its price does not grow with its length. */
  workedElsewhere(caller: Caller, ms: number): void {
    const now = performance.now();
    if (!this.#isAlone(caller, now)) this.#charge(caller, now, ms);
  }

  /** Each account of the caller owes the whole. Where debtors are counted, the caller is one of them. */
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

  /** The cost of work on top of its request's earlier work in this tick: consecutive pieces delay others like one piece. */
  #costOfMore(ms: number, stretch: TickWork): number {
    if (stretch.turn !== this.#turn) [stretch.turn, stretch.ms] = [this.#turn, 0];
    this.#countTurn();
    const before = stretch.ms;
    stretch.ms += ms;
    return costOf(stretch.ms) - costOf(before);
  }

  #countTurn(): void {
    if (this.#isTurnCounted) return;
    this.#isTurnCounted = true;
    setImmediate(() => {
      this.#turn++;
      this.#isTurnCounted = false;
    });
  }

  /** The number of accounts in debt, `account` included. */
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
    setImmediate(() => this.#nextTurn());
  }

  /** Begins one request. The callers that may go on alternate. */
  #nextTurn(): void {
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

/** The account of the caller that owes most: the caller goes on once it has paid. */
function mostIndebted({ accounts }: Caller): Account {
  let most = accounts[0];
  for (const account of accounts) if (account.debtClearedAt > most.debtClearedAt) most = account;
  return most;
}

const tooMuch = (owedMs: number): CodedError =>
  refusedByLimit(
    "processor_share",
    "SERVICE_UNAVAILABLE",
    "this caller's requests take more than their share; try again",
    Math.max(Math.ceil(owedMs / 1_000), 1),
  );
