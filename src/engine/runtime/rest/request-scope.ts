/**
 * The state that the REST calls of one execution share: the headers to send, how many calls, how much time and how many bytes are
 * left, and the reads to abandon when the client disconnects. Nothing here outlives the execution. The `Admission` has what the
 * HTTP request uses before and after it.
 */
import { CodedError, clientDisconnected } from "../coded-error.ts";
import { processRunTime } from "../deadline.ts";
import type { Caller } from "../governor/caller.ts";
import { type ProcessBudgets, processFull, requestTooLarge } from "../governor/process-budgets.ts";
import { type Pausable, TickWork } from "../governor/processor-share.ts";
import { charactersPerMs, largeBody, msPerCall, startWork } from "../governor/work-costs.ts";
import type { Config } from "../settings/config.ts";
import type { CallerHeaders } from "./caller-headers.ts";
import { neverStored, type RestResponse } from "./rest-response.ts";

type Abandon = (failure: CodedError) => void;

/** The admission of the GraphQL request that makes the calls. */
type Admitted = Pausable & { readonly caller: Caller };

export class RequestScope {
  readonly forwarded: CallerHeaders;
  readonly caller: Caller;
  /** The admission, whose place in the start queue is paused while the request waits for its caller's share of the processor. */
  readonly place: Admitted | undefined;
  /** The reads of this request, by operation, URL and the operation's own headers; null for a read that has failed. */
  readonly reads = new Map<string, Promise<RestResponse> | null>();
  isClosed = false;
  /** Called when the scope is closed, which is when all work of the request is done, including its writes. */
  onClose = (): void => {};
  readonly #config: Config;
  /** When the execution began, on the clock of `performance.now()`. */
  readonly since = performance.now();
  /** The request's deadline, on the clock of `processRunTime`. */
  readonly #endsAt: number;
  /** The reads and pauses in progress, which end when the client disconnects. */
  readonly #inFlight = new Set<Abandon>();
  readonly #shares: ProcessBudgets;
  #reservedBytes = 0;
  #freshUntil = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasLeft = false;
  readonly #tickWork = new TickWork();

  /** Without an admission, the caller is determined by the names of its owners. */
  constructor(config: Config, shares: ProcessBudgets, forwarded: CallerHeaders, admission?: Admitted) {
    this.#config = config;
    this.#shares = shares;
    this.caller =
      admission?.caller.enter() ?? shares.processor.enter(forwarded.caller, forwarded.otherCallers);
    this.forwarded = forwarded;
    this.place = admission;
    this.#endsAt = processRunTime() + config.env.REQUEST_TIMEOUT_MS;
  }

  /** Returns a new scope with the same caller and headers, for a call that other requests wait for too. */
  fresh(): RequestScope {
    return new RequestScope(this.#config, this.#shares, this.forwarded, this.place);
  }

  /** Counts a call. Throws if this exceeds the limit, or if the call is a read and the client has disconnected. */
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

  /** Whether enough time and at least one call are left for a retry after a wait of `waitMs`. */
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

  /** Calls `abandon` when the client disconnects, unless `ended` is called with it before. */
  onLeave(abandon: Abandon): void {
    this.#inFlight.add(abandon);
  }

  ended(abandon: Abandon): void {
    this.#inFlight.delete(abandon);
  }

  /**
   * Reserves bytes for a REST response in the budgets of the request and of the process. Returns the failure if a budget has fewer
   * bytes left. The response to a write is accepted even if the process has none left: the write is done, and must not be sent
   * again.
   */
  reserve(bytes: number, isRead: boolean): CodedError | undefined {
    const { MAX_REQUEST_BYTES: most } = this.#config.env;
    if (this.isClosed) return clientDisconnected();
    if (this.#reservedBytes + bytes > most) return requestTooLarge(most);
    const refusal = isRead && this.#shares.bytes.refusal(this.caller, bytes);
    if (refusal) return processFull(refusal);
    this.#shares.bytes.add(this.caller, bytes);
    this.#reservedBytes += bytes;
    return undefined;
  }

  /** Returns the bytes of a failed response to the budgets. */
  release(bytes: number): void {
    if (this.isClosed || bytes === 0) return;
    this.#reservedBytes -= bytes;
    this.#shares.bytes.giveBack(this.caller, bytes);
  }

  /**
   * Resolves when the caller may start or continue the request; returns `undefined` if it need not wait. Rejects with
   * `SERVICE_UNAVAILABLE`.
   */
  turn(): Promise<void> | undefined {
    return this.#shares.processor.turnOf(this.caller, this);
  }

  /** Charges processor time to the caller. */
  charge(ms: number): void {
    this.#shares.processor.charge(this.caller, ms, this.#tickWork);
  }

  /** Charges parsing a request or serializing a response, by its length. */
  chargeText({ length }: { readonly length: number }): void {
    this.charge(length / charactersPerMs);
  }

  /** Runs `run` and charges its processor time. */
  measured<T>(run: () => T): T {
    const workedMs = startWork();
    try {
      return run();
    } finally {
      this.charge(workedMs());
    }
  }

  /** Runs `run`, which decompresses a response, once the caller has a permit. */
  decompressed<T>(run: () => Promise<T>): Promise<T> {
    return this.#shares.decompression.run(this.caller, run);
  }

  /**
   * Runs work on REST's responses once the caller may proceed, and charges its processor time. Work on few bytes runs at once.
   */
  completed<T>(run: () => T): T | Promise<T> {
    if (this.#reservedBytes < largeBody) return run();
    const turn = this.turn();
    return turn ? turn.then(() => this.measured(run)) : this.measured(run);
  }

  /**
   * Accepts a response and charges its parsing. The response to a read waits until the caller may proceed; usually it need not
   * wait, and no promise is created.
   */
  read(response: RestResponse, isRead: boolean): RestResponse | Promise<RestResponse> {
    this.#freshUntil = Math.min(this.#freshUntil, response.freshUntil);
    const turn = isRead ? this.turn() : undefined;
    return turn ? turn.then(() => this.#charge(response)) : this.#charge(response);
  }

  /**
   * Prevents later requests from reusing the response: each of them must repeat the checks of its calls, because a tenant's
   * credential may be withdrawn at any time.
   */
  mustExecute(): void {
    this.#freshUntil = Math.min(this.#freshUntil, performance.now());
  }

  /**
   * The time until which all responses may be reused; `neverStored` if there is no response, or if one of them must not be
   * stored.
   */
  get freshUntil(): number {
    return Number.isFinite(this.#freshUntil) ? this.#freshUntil : neverStored;
  }

  /** Accepts a cached response, or the response of another request's call, which is already parsed and charged. */
  take(response: RestResponse): RestResponse | Promise<RestResponse> {
    this.#freshUntil = Math.min(this.#freshUntil, response.freshUntil);
    const turn = this.turn();
    return turn ? turn.then(() => response) : response;
  }

  /** Charges a response's parsing. A small response is charged by its length, and parsed when its value is read. */
  #charge(response: RestResponse): RestResponse {
    const isSmall = response.unparsed < largeBody;
    this.charge(msPerCall + (isSmall ? response.unparsed / charactersPerMs : 0));
    if (!isSmall) this.measured(() => response.parse());
    return response;
  }

  /** Ends the request: returns its bytes to the budgets, and abandons the reads in flight. */
  close(): void {
    if (this.isClosed) return;
    this.leave();
    this.release(this.#reservedBytes);
    this.reads.clear();
    this.isClosed = true;
    this.caller.leave();
    this.onClose();
  }

  /** Called when the client has disconnected: abandons the reads in flight, and prevents further reads. */
  leave(): void {
    this.#hasLeft = true;
    if (this.#inFlight.size === 0) return;
    const failure = clientDisconnected();
    for (const abandon of this.#inFlight) abandon(failure);
    this.#inFlight.clear();
  }
}
