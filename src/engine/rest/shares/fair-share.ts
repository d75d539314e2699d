/**
 * Fair shares of the processor between callers. A caller pays for work afterwards, in time: work of `ms` in one turn of
 * the event loop costs `max(1.6 ms, ms³ / 30)`. The price exceeds the time, because a part of a request's work is not
 * charged. From 7 ms on it grows with the cube, because long work is what the other callers' 95th percentile shows. A
 * caller that owes more than `freeMs` waits before its next request, before work on a large response of REST, and before
 * each piece of an answer. Ordinary requests owe less, and never wait.
 *
 * Callers that owe more than `freeMs` at the same time share what one of them would get: the price is multiplied by their
 * number. So a tenant gains nothing by sending with ten keys where the process does not know the tenant.
 *
 * The longest wait that a piece of work causes is `maxDebtMs`, times the same number: work of 40 ms costs that much. The
 * other callers' 95th percentile needs no more: work of 140 ms that comes at most once in 2 s delays fewer than a twentieth
 * of their requests by more than 40 ms.
 *
 * Of a caller's requests, the one that came first goes on first: few of them hold memory at the same time.
 *
 * A caller that is alone pays nothing and never waits.
 */
import { LRUCache } from "lru-cache";
import { type CodedError, refusedBy } from "../../errors.ts";
import { Deadline } from "../../time/deadline.ts";

/** A caller may owe so many ms and go on. */
const freeMs = 10;
/** A caller never owes more ms, times the number of callers in debt. */
const maxDebtMs = 2_000;
/** A request that waited so many ms is refused. */
const maxWaitMs = 2_000;
/** After so many ms of work in one turn of the event loop, a caller's further work waits for the next turn. */
const maxTurnMs = 4;
/** Work is summed up over turns of the event loop until it is this long. So short work schedules nothing. */
const minTurnMs = 2;
/** A caller is alone when no other caller has sent a request for so many ms. */
const aloneAfterMs = 60_000;
const maxCallers = 10_000;

/** Milliseconds that a caller owes for work in one turn. */
const costOf = (ms: number): number => Math.max(1.6 * ms, ms ** 3 / 30);

type Waiting = {
  readonly since: number;
  readonly begin: () => void;
};

type Leave = (failure: CodedError) => void;

/** The request that waits for its turn. It calls `leave` when its client leaves, unless `ended` is called before. */
type Waiter = {
  /** When the request came. The one that came first goes on first. */
  readonly since: number;
  onLeave(leave: Leave): void;
  ended(leave: Leave): void;
};

/** The work of one caller, and its requests that wait. */
export class Account {
  seenAt = 0;
  /** When the caller owes nothing any more. */
  paidAt = 0;
  turn = -1;
  turnMs = 0;
  /** Requests that are under way. They go on before any other starts. */
  readonly going: Waiting[] = [];
  readonly starting: Waiting[] = [];
}

export class FairShare {
  readonly #accounts = new LRUCache<string, Account>({ max: maxCallers });
  readonly #waiting = new Set<Account>();
  /** The callers that owe more than `freeMs`, and some that did. */
  readonly #debtors = new Set<Account>();
  #last: Account | undefined;
  /** When a caller other than the last one was last seen. */
  #otherSeenAt = Number.NEGATIVE_INFINITY;
  #turn = 0;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  /** Returns the account of a caller that has sent a request. */
  enter(caller: string): Account {
    let account = this.#accounts.get(caller);
    if (!account) {
      account = new Account();
      this.#accounts.set(caller, account);
    }
    if (account !== this.#last) {
      if (this.#last) this.#otherSeenAt = this.#last.seenAt;
      this.#last = account;
    }
    account.seenAt = performance.now();
    return account;
  }

  /**
   * Resolves when the caller may start a request, or go on with one. `undefined`: at once. Rejects with
   * `SERVICE_UNAVAILABLE` after too long a wait, and as soon as the client leaves.
   */
  turnOf(account: Account, kind: "starting" | "going", request: Waiter): Promise<void> | undefined {
    const now = performance.now();
    if (this.#isAlone(account, now)) return undefined;
    const hasTurn = account.turn !== this.#turn || account.turnMs < maxTurnMs;
    if (hasTurn && account.paidAt - now <= freeMs && !this.#waiting.has(account)) return undefined;
    return this.#wait(account, kind, request);
  }

  #wait(account: Account, kind: "starting" | "going", request: Waiter): Promise<void> {
    const { promise: turn, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const { since } = request;
    const waiting = { since, begin };
    const behind = account[kind].findLastIndex((other) => other.since <= since);
    account[kind].splice(behind + 1, 0, waiting);
    this.#waiting.add(account);
    this.#schedule();
    const leave: Leave = (failure) => {
      const at = account[kind].indexOf(waiting);
      if (at < 0) return;
      account[kind].splice(at, 1);
      refuse(failure);
    };
    const deadline = new Deadline(maxWaitMs, () => leave(tooMuch(account.paidAt - performance.now())));
    request.onLeave(leave);
    return turn.finally(() => {
      deadline.clear();
      request.ended(leave);
    });
  }

  /** Charges work of so many ms that has just ended. */
  worked(account: Account, ms: number): void {
    const now = performance.now();
    if (this.#isAlone(account, now)) return;
    if (account.turn !== this.#turn) [account.turn, account.turnMs] = [this.#turn, 0];
    const before = costOf(account.turnMs);
    account.turnMs += ms;
    const from = Math.max(account.paidAt, now);
    const cost = costOf(account.turnMs) - before;
    const debtors = from + cost - now > freeMs ? this.#debtorsWith(account, now) : 1;
    account.paidAt = Math.min(from + cost * debtors, now + maxDebtMs * debtors);
    if (account.turnMs >= minTurnMs) this.#schedule();
  }

  /** The number of callers in debt, `account` included. */
  #debtorsWith(account: Account, now: number): number {
    for (const debtor of this.#debtors) if (debtor.paidAt - now <= freeMs) this.#debtors.delete(debtor);
    return this.#debtors.add(account).size;
  }

  #isAlone(account: Account, now: number): boolean {
    const otherSeenAt = account === this.#last ? this.#otherSeenAt : (this.#last?.seenAt ?? 0);
    return now - otherSeenAt > aloneAfterMs;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  /** Begins one request. The callers that may go on take turns. */
  #nextTurn(): void {
    this.#isScheduled = false;
    clearTimeout(this.#timer);
    this.#turn++;
    const now = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    let next: Account | undefined;
    for (const account of this.#waiting) {
      const waitMs = account.paidAt - freeMs - now;
      if (waitMs <= 0 && !next) {
        next = account;
        (account.going.shift() ?? account.starting.shift())?.begin();
      }
      if (account.going.length + account.starting.length === 0) this.#waiting.delete(account);
      else nextMs = Math.min(nextMs, Math.max(waitMs, 0));
    }
    if (next && this.#waiting.delete(next)) this.#waiting.add(next); // goes behind the others
    if (this.#waiting.size === 0) return;
    if (nextMs > 0) this.#timer = setTimeout(() => this.#schedule(), nextMs);
    else this.#schedule();
  }
}

const tooMuch = (owedMs: number): CodedError =>
  refusedBy(
    "processor_share",
    "SERVICE_UNAVAILABLE",
    "this caller's requests take more than their share; try again",
    Math.max(Math.ceil(owedMs / 1_000), 1),
  );
