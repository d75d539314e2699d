/**
 * One GraphQL request as its REST calls see it: the headers they carry, the calls it may still make, the time and the
 * bytes it has left, and the reads to abandon when its client leaves. Nothing here outlives the request.
 */
import { CodedError, clientDisconnected } from "../coded-error.ts";
import { processRunTime } from "../deadline.ts";
import type { Caller } from "../governor/caller.ts";
import { type Pausable, TickWork } from "../governor/fair-share.ts";
import { type ProcessBudgets, processFull, requestTooLarge } from "../governor/process-budgets.ts";
import { charactersPerMs, largeBody, msPerCall, startWork } from "../governor/processor-time.ts";
import type { Config } from "../settings/config.ts";
import type { CallerHeaders } from "./caller-headers.ts";
import { neverStored, type RestResponse } from "./rest-response.ts";

type Abandon = (failure: CodedError) => void;

/** The admission of the GraphQL request that makes the calls. */
type Admitted = Pausable & { readonly caller: Caller };

export class RequestScope {
  readonly forwarded: CallerHeaders;
  readonly caller: Caller;
  /** Pauses the request's execution while the request waits for its caller's share. */
  readonly place: Admitted | undefined;
  /** The reads of this request, by operation, URL and the operation's own headers. `null`: the read failed. */
  readonly reads = new Map<string, Promise<RestResponse> | null>();
  isClosed = false;
  /** Called when it is closed: all that the request does is done, also its writes. */
  onClose = (): void => {};
  readonly #config: Config;
  /** When the request came, on the clock of `performance.now()`. */
  readonly since = performance.now();
  /** When its time is over, on the clock of `processRunTime`. */
  readonly #endsAt: number;
  /** The reads and pauses in progress, which end when the client leaves. */
  readonly #underWay = new Set<Abandon>();
  readonly #shares: ProcessBudgets;
  #held = 0;
  #freshUntil = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasLeft = false;
  readonly #stretch = new TickWork();

  /** Without an admission, the caller is found by the names of its owners. */
  constructor(config: Config, shares: ProcessBudgets, forwarded: CallerHeaders, admission?: Admitted) {
    this.#config = config;
    this.#shares = shares;
    this.caller =
      admission?.caller.enter() ?? shares.processor.enter(forwarded.caller, forwarded.otherCallers);
    this.forwarded = forwarded;
    this.place = admission;
    this.#endsAt = processRunTime() + config.env.REQUEST_TIMEOUT_MS;
  }

  /** A scope like this one at its start, for a call that other requests wait for too. */
  fresh(): RequestScope {
    return new RequestScope(this.#config, this.#shares, this.forwarded, this.place);
  }

  /** Counts one call. Throws when the call is one too many, or when it is a read and the client has left. */
  enter(isRead: boolean): void {
    const { MAX_REST_CALLS: limit } = this.#config.env;
    if (isRead && this.#hasLeft) throw clientDisconnected();
    if (++this.#calls > limit) {
      throw new CodedError("CALL_LIMIT", `one request makes at most ${limit} REST calls`, {
        limit: "MAX_REST_CALLS",
        value: limit,
      });
    }
  }

  /** Whether time and a call are left for a retry after a wait. */
  mayCallIn(waitMs: number): boolean {
    return waitMs < this.#endsAt - processRunTime() && this.#calls < this.#config.env.MAX_REST_CALLS;
  }

  /** Milliseconds that the next call may take. */
  get callTimeoutMs(): number {
    return Math.min(this.#config.env.CALL_TIMEOUT_MS, this.#endsAt - processRunTime());
  }

  get maxResponseBytes(): number {
    return this.#config.env.MAX_RESPONSE_BYTES;
  }

  /** Calls `abandon` when the client leaves, unless `ended` is called with it before. */
  onLeave(abandon: Abandon): void {
    this.#underWay.add(abandon);
  }

  ended(abandon: Abandon): void {
    this.#underWay.delete(abandon);
  }

  /**
   * Takes bytes of REST's responses from the budgets of the request and of the process. Returns the failure if one has less
   * left. A full process takes the response to a write too: the write is done, and must not be sent again.
   */
  hold(bytes: number, isRead: boolean): CodedError | undefined {
    const { MAX_REQUEST_BYTES: most } = this.#config.env;
    if (this.isClosed) return clientDisconnected();
    if (this.#held + bytes > most) return requestTooLarge(most);
    const refusal = isRead && this.#shares.bytes.refusal(this.caller, bytes);
    if (refusal) return processFull(refusal);
    this.#shares.bytes.add(this.caller, bytes);
    this.#held += bytes;
    return undefined;
  }

  /** Gives back the bytes of a response that failed. */
  drop(bytes: number): void {
    if (this.isClosed || bytes === 0) return;
    this.#held -= bytes;
    this.#shares.bytes.giveBack(this.caller, bytes);
  }

  /** Resolves when its caller may start it or go on. `undefined`: at once. Rejects with `SERVICE_UNAVAILABLE`. */
  turn(): Promise<void> | undefined {
    return this.#shares.processor.turnOf(this.caller, this);
  }

  /** Charges processor time to the caller. */
  worked(ms: number): void {
    this.#shares.processor.worked(this.caller, ms, this.#stretch);
  }

  /** Charges work on a text by its length: reading a request, or writing a response. */
  workedOn({ length }: { readonly length: number }): void {
    this.worked(length / charactersPerMs);
  }

  /** Runs work, and charges the processor time that it takes. */
  measured<T>(run: () => T): T {
    const workedMs = startWork();
    try {
      return run();
    } finally {
      this.worked(workedMs());
    }
  }

  /** Decompresses a response once its caller has a permit. */
  decompressed<T>(run: () => Promise<T>): Promise<T> {
    return this.#shares.decompression.run(this.caller, run);
  }

  /** Runs work on REST's responses once its caller may go on, and charges it. Work on few bytes runs at once. */
  completed<T>(run: () => T): T | Promise<T> {
    if (this.#held < largeBody) return run();
    const turn = this.turn();
    return turn ? turn.then(() => this.measured(run)) : this.measured(run);
  }

  /** Takes a response in. A read waits until its caller may go on; usually that is at once, without a promise. */
  read(response: RestResponse, isRead: boolean): RestResponse | Promise<RestResponse> {
    this.#freshUntil = Math.min(this.#freshUntil, response.freshUntil);
    const turn = isRead ? this.turn() : undefined;
    return turn ? turn.then(() => this.#charge(response)) : this.#charge(response);
  }

  /** Until when all responses may be used again. `neverStored` without any, or with one that must not be stored. */
  get freshUntil(): number {
    return Number.isFinite(this.#freshUntil) ? this.#freshUntil : neverStored;
  }

  /** Takes in a response that is stored, or that another request's call has brought: it is parsed and charged. */
  take(response: RestResponse): RestResponse | Promise<RestResponse> {
    this.#freshUntil = Math.min(this.#freshUntil, response.freshUntil);
    const turn = this.turn();
    return turn ? turn.then(() => response) : response;
  }

  /** Charges a response's parsing. A small one is charged by its length, and parsed when its value is read. */
  #charge(response: RestResponse): RestResponse {
    const isSmall = response.unparsed < largeBody;
    this.worked(msPerCall + (isSmall ? response.unparsed / charactersPerMs : 0));
    if (!isSmall) this.measured(() => response.parse());
    return response;
  }

  /** Ends the request: its bytes are given back, and the reads that are still under way are abandoned. */
  close(): void {
    if (this.isClosed) return;
    this.leave();
    this.drop(this.#held);
    this.reads.clear();
    this.isClosed = true;
    this.caller.leave();
    this.onClose();
  }

  /** The client has left: the reads under way are abandoned, and no other begins. */
  leave(): void {
    this.#hasLeft = true;
    if (this.#underWay.size === 0) return;
    const failure = clientDisconnected();
    for (const abandon of this.#underWay) abandon(failure);
    this.#underWay.clear();
  }
}
